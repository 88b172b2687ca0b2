"""Loops as machine code, compiled by numba.

`functions` has the code, `signatures` the arguments of each function; `machine` loads the compiled
functions, and `building` compiles them if that was not done before.
"""
