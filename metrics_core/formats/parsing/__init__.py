"""Parse lines into columns. These modules are shared by the formats."""
