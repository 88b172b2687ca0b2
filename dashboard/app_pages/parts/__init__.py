"""Parts of pages: sidebar and pickers, and parts shared by several pages."""
