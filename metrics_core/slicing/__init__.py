"""Where does it come from: scores and differences by group of queries."""
