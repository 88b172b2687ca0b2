"""Where does a difference come from? Scores and differences by group of queries."""
