"""Do the files fit together, do stored scores agree with ours."""
