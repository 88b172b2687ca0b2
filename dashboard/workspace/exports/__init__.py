"""Collections as one file, out and in, with notes and grades that go along."""
