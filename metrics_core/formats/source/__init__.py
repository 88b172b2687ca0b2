"""Turn files into bytes and lines: open and unpack them within size limits."""
