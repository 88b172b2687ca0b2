"""Loops as machine code: `functions` is what numba compiles, `signatures` says what each is given,
`machine` loads them, and makes them where nobody has."""
