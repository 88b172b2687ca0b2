"""What pages are put together of: sidebar and pickers, and parts that several pages have."""
