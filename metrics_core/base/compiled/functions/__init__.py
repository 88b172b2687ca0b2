"""What numba compiles: loops over bytes and rows. `signatures` says what each function is given;
only `building` imports this, for numba takes longer to load than its code to run."""
