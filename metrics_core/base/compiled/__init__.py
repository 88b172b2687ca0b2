"""Loops compiled to machine code by numba.

`functions` has the code, and `signatures` the arguments of each function. `machine` loads the
compiled functions. If they have not been compiled yet, `building` compiles them."""
