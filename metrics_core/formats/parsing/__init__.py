"""Parse lines into columns; shared by the formats."""
