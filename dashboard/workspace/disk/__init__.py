"""Bytes on the disk: records and journals that check themselves, one writer at a time."""
