"""Parts of pages: the rail, the pickers, and parts that several pages share."""
