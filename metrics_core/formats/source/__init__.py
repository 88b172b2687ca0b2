"""Files to bytes and lines: opened, unpacked, bounded."""
