"""What every package uses: errors, notes, wording, the one cache, threads, compiled loops."""
