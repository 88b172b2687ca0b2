"""Compile `functions` to one object file for this machine.

Each function becomes a C function whose arguments are plain pointers and sizes. These functions
allocate no memory and raise no errors, so the object file runs without numba."""

from __future__ import annotations

from typing import Any

import numba
from llvmlite import binding as llvm

from metrics_core.base.compiled.functions import lines, orders, ranks, sums
from metrics_core.base.compiled.signatures import RECORDS, SIGNATURES, expand_kinds

_MODULES = (lines, ranks, orders, sums)
_OF_EVERY_PROCESS = {"memset", "memcpy", "memmove"}
_TYPES = {
    "bytes": "uint8",
    "bools": "boolean",
    "uint16s": "uint16",
    "int32s": "int32",
    "int64s": "int64",
    "uint64s": "uint64",
    "float32s": "float32",
    "float64s": "float64",
}


def compile_part(part: str) -> bytes:
    """Compile one part of `SIGNATURES` and return its functions as the bytes of an object file."""
    target = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=3,
        reloc="pic",
        codemodel="jitdefault",
        jit=True,
    )
    whole: Any = None
    for name, kinds in SIGNATURES[part].items():
        module = llvm.parse_assembly(_compile_to_assembly(name, kinds))
        whole = module if whole is None else _link_modules(whole, module)
    return target.emit_object(_optimise(whole, target, set(SIGNATURES[part])))


def _link_modules(target_module: Any, module: Any) -> Any:
    target_module.link_in(module)
    return target_module


def _optimise(module: Any, target: Any, names: set[str]) -> Any:
    """Optimise a module and remove functions that are neither called nor listed in `names`.

    Raises RuntimeError if the compiled code needs a function that is not available in every
    process."""
    for function in module.functions:
        if not function.is_declaration and function.name not in names:
            function.linkage = llvm.Linkage.internal
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    builder = llvm.create_pass_builder(target, options)
    builder.getModulePassManager().run(module, builder)
    wanted = {f.name for f in module.functions if f.is_declaration} - _OF_EVERY_PROCESS
    foreign = [name for name in wanted if not name.startswith("llvm.")]
    if foreign:  # a function that raises an error or allocates memory
        raise RuntimeError(f"compiled code needs {', '.join(sorted(foreign))}")
    return module


def _compile_to_assembly(name: str, kinds: str) -> str:
    """Compile the function called `name` to a C function and return its LLVM assembly.

    `kinds` are the kinds of the function's arguments."""
    function = next(getattr(m, name) for m in _MODULES if hasattr(m, name))
    types: list[Any] = []
    parameters: list[str] = []
    given: list[str] = []
    for i, kind in enumerate(expand_kinds(kinds)):
        if kind == "int64":
            types.append(numba.types.int64)
            parameters.append(f"p{i}")
            given.append(f"p{i}")
            continue
        pointer: Any = numba.types.CPointer
        plain = kind.removesuffix("[]")
        types += [pointer(getattr(numba.types, _TYPES[plain])), numba.types.int64]
        parameters += [f"p{i}", f"n{i}"]
        shape = f"n{i}"
        if kind != plain:
            types.append(numba.types.int64)
            parameters.append(f"m{i}")
            shape = f"(n{i}, m{i})"
        given.append(f"numba.carray(p{i}, {shape})")
    single = iter(given)
    whole = [
        f"{kind}({', '.join(next(single) for _ in RECORDS[kind][0]._fields)})"
        if kind in RECORDS
        else next(single)
        for kind in kinds.split()
    ]
    source = f"def c({', '.join(parameters)}): return function({', '.join(whole)})"
    made: dict[str, Any] = {"numba": numba, "function": function}
    made |= {kind: record for kind, (record, _) in RECORDS.items()}
    exec(source, made)  # the source contains only signatures
    compiled: Any = numba.cfunc(numba.types.int64(*types), error_model="numpy")(made["c"])
    return compiled.inspect_llvm().replace(compiled._wrapper_name, name)
