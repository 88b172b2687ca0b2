"""Speed and memory, against the peers and in one run; never part of the tests."""
