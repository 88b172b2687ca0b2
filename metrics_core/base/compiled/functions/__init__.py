"""Functions compiled by numba: loops over bytes and rows, with the arguments described in
`signatures`.

Only `building` imports them, since loading numba takes longer than running the code.
"""
