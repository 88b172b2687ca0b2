"""Load compiled functions from the object file made for this machine, or compile them.

Loading numba takes longer than evaluating a run of a million rows, but loading the compiled code
does not. The object file is sealed and stored beside this module, or in the user's cache if that
folder cannot be written. `metrics-core prepare` compiles everything in advance.

Modules that load code are imported inside functions, so that programs without compiled code do not
wait for these modules."""

from __future__ import annotations

import ctypes
import mmap
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from metrics_core.base.compiled.signatures import SIGNATURES, expand_kinds
from metrics_core.base.errors import RanklensError
from metrics_core.base.whole_files import read_checksummed_file, write_checksummed_file

_HERE = Path(__file__).parent
_SHAPING = ("building.py", "signatures.py")
_LOADING = Lock()
_SECONDS = {"rows": 15, "sums": 3}
"""Approximate compile time of each part, in seconds."""
_BEING_COMPILED: list[str] = []
_FOLDER = "RANKLENS_CACHE"
"""Name of the environment variable that sets another folder for the object file."""


class Compiled:
    """The compiled functions of one part of `SIGNATURES`, as attributes.

    The functions are called with numpy arrays, records of arrays, and integers."""

    def __init__(self, part: str, code: bytes) -> None:
        from llvmlite import binding as llvm

        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        machine = llvm.Target.from_default_triple().create_target_machine(
            codemodel="jitdefault", jit=True
        )
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        self._engine.finalize_object()
        for name, kinds in SIGNATURES[part].items():
            address = self._engine.get_function_address(name)
            setattr(self, name, _wrap_function(name, address, list(expand_kinds(kinds))))

    def __getattr__(self, name: str) -> Callable[..., int]:
        raise AttributeError(name)


_KINDS: dict[str, type] = {
    "bytes": np.uint8,
    "bools": np.bool_,
    "uint16s": np.uint16,
    "int32s": np.int32,
    "int64s": np.int64,
    "uint64s": np.uint64,
    "float32s": np.float32,
    "float64s": np.float64,
}


def _wrap_function(name: str, address: int, kinds: list[str]) -> Callable[..., int]:
    """Wrap the C function at a memory address as a Python function.

    The wrapper checks its arguments, because a wrong array would cause access to memory outside the
    array. It raises TypeError for an array of the wrong dtype, dimensions or memory layout."""
    c_types: list[Any] = []
    for kind in kinds:
        c_types += [ctypes.c_int64] if kind == "int64" else [ctypes.c_void_p, ctypes.c_int64]
        c_types += [ctypes.c_int64] if kind.endswith("[]") else []
    function = ctypes.CFUNCTYPE(ctypes.c_int64, *c_types)(address)

    def call(*given: Any) -> int:
        passed: list[int] = []
        single = (x for value in given for x in (value if isinstance(value, tuple) else (value,)))
        for value, kind in zip(single, kinds, strict=True):
            if kind == "int64":
                passed.append(int(value))
                continue
            plain = kind.removesuffix("[]")
            dimensions = 1 if kind == plain else 2
            fits = value.dtype == _KINDS[plain] and value.ndim == dimensions
            if not (fits and value.flags.c_contiguous):
                raise TypeError(f"{name} takes {kind}, not {value.dtype}{value.shape}")
            passed += [value.ctypes.data, *value.shape]
        return function(*passed)

    return call


def compiled_functions(part: str) -> Compiled:
    """Return the functions of a part for this machine. If necessary they are compiled, which takes
    some seconds.

    Each part is compiled separately, so that a program that only needs sums does not wait for other
    parts. Raises RanklensError if the system does not allow executable memory."""
    # One at a time: if two threads loaded a part at once, one of the two would be freed while its
    # code runs.
    with _LOADING:
        return _load_part(part)


def is_worth_loading(part: str, amount: int, min_amount: int) -> bool:
    """Return whether an amount of work is large enough to justify loading a part of the compiled
    code.

    The amount must be at least `min_amount`. For a part that is not compiled yet, the amount must
    be at least 8 times `min_amount`, because for less work, compiling takes longer than it
    saves."""
    return amount >= min_amount and (amount >= 8 * min_amount or find_object_file(part) is not None)


def find_object_file(part: str) -> Path | None:
    """Return the object file of a part for this machine; None if it has not been compiled."""
    paths = (folder / _file_name(part) for folder in _cache_folders())
    return next((path for path in paths if path.is_file()), None)


@cache
def _load_part(part: str) -> Compiled:
    _check_executable_memory()
    name = _file_name(part)
    for folder in _cache_folders():
        # Loaded code is not checked: a damaged file would crash the process or compute wrong
        # numbers.
        stored_code = read_checksummed_file(folder / name)
        if stored_code is not None:
            return Compiled(part, bytes(stored_code))
    _print_compile_time(part)
    from metrics_core.base.compiled.building import compile_part

    _BEING_COMPILED.append(part)
    try:
        code = compile_part(part)
    finally:
        _BEING_COMPILED.remove(part)
    for folder in _cache_folders():
        try:  # older files stay, as other versions may use them
            write_checksummed_file(folder / name, code)
            break
        except OSError:
            continue
    return Compiled(part, code)


def compilation_message() -> str:
    """Return a message with the expected compile time while a part is being compiled; otherwise
    ""."""
    return "".join(map(_duration_message, _BEING_COMPILED[:1]))


def _duration_message(part: str) -> str:
    return f"Compiling once for this machine (about {_SECONDS[part]} s) …"


def _print_compile_time(part: str) -> None:
    """Print on stderr that a part is being compiled and how long this takes.

    The message is printed even if stderr is not a terminal, so that it appears in the log of a
    pipeline."""
    if sys.stderr is not None:
        print(_duration_message(part), file=sys.stderr, flush=True)


def _file_name(part: str) -> str:
    return f"{part}-{_fingerprint()}.o"


def _fingerprint() -> str:
    """Return a hash of everything that the compiled code depends on: the sources, the compiler and
    the machine."""
    import hashlib

    from llvmlite import __version__
    from llvmlite import binding as llvm

    digest = hashlib.blake2b(digest_size=12)
    for source in [*sorted((_HERE / "functions").glob("*.py")), *map(_HERE.joinpath, _SHAPING)]:
        digest.update(source.read_bytes())
    for part in (
        __version__,
        llvm.get_process_triple(),
        llvm.get_host_cpu_name(),
        llvm.get_host_cpu_features().flatten(),
    ):
        digest.update(part.encode())
    return digest.hexdigest()


def _cache_folders() -> Iterator[Path]:
    if os.environ.get(_FOLDER):
        yield Path(os.environ[_FOLDER])
        return
    yield _HERE / "__pycache__"
    with suppress(RuntimeError):  # an account without a home folder
        yield Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ranklens"


def _check_executable_memory() -> None:
    """Raise RanklensError if the system forbids executable memory, as hardened systems do.

    Without this check, calling the code would end the process without a message."""
    if os.name != "posix":
        return
    page = mmap.mmap(-1, mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    at = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(page)))
    system = ctypes.CDLL(None, use_errno=True)
    refused = system.mprotect(at, ctypes.c_size_t(len(page)), mmap.PROT_READ | mmap.PROT_EXEC)
    if refused:
        why = os.strerror(ctypes.get_errno())
        raise RanklensError(
            "This system does not allow programs to run code that they compile themselves"
            f" ({why}).",
            "Comparisons, curves and large runs need compiled code. Allow this program to run it:"
            " set `MemoryDenyWriteExecute=no` in the systemd unit, or allow `execmem` in SELinux.",
        )
