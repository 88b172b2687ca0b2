"""What documents without a judgment could do, and which to judge next."""
