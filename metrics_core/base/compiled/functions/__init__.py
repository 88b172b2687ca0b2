"""Functions compiled by numba: loops over bytes and rows, with arguments as in `signatures`.

Only `building` imports them, since loading numba takes longer than running the code.
"""
