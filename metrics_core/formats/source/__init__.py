"""From files to bytes and lines: opened, unpacked, limited in size."""
