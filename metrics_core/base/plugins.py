"""Plug-ins: what packages of others add to what Ranklens declares.

An entry point of the groups `ranklens.measures` and `ranklens.formats` names a module; it declares
as ours do, when it is imported. That is done when a registry is first asked for all it has, so
`import metrics_core` loads none. A package that fails is told of once on stderr, with nothing of it
added; all else works. `RANKLENS_PLUGINS=none` leaves all out.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, lru_cache, wraps
from threading import RLock
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

from metrics_core.base.errors import RanklensError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

VARIABLE = "RANKLENS_PLUGINS"

_PREFIX = b"ranklens."
_OURS = "metrics_core"

Declared = TypeVar("Declared")
Given = ParamSpec("Given")
Result = TypeVar("Result")


@dataclass(frozen=True)
class _Entry(Generic[Declared]):
    """A declaration, the module that made it, and its other names as they are compared."""

    declaration: Declared
    module: str
    names: frozenset[str]
    package: str


@dataclass
class _Loading:
    """The package whose plug-in is being loaded, and what it has declared so far."""

    package: str
    declarations: list[tuple[Registry[Any], str]] = field(default_factory=list)


_lock = RLock()
_loading: _Loading | None = None
_failed: set[tuple[str, str]] = set()


def declaring_package(module: str) -> str:
    """Who declares in a module: "" for ours, else the package whose plug-in is being loaded, or
    the module where somebody imported it."""
    top = module.partition(".")[0]
    if top == _OURS:
        return ""
    return top if _loading is None else _loading.package


class Registry(Generic[Declared]):
    """What is declared under `group`, by name. `what` is one of them in a word; `row_columns` gives
    all names, as they are compared, by which one can be asked for."""

    def __init__(
        self, group: str, what: str, names_of: Callable[[Declared], Iterable[str]]
    ) -> None:
        self._group, self._what, self._names_of = group, what, names_of
        self._entries: dict[str, _Entry[Declared]] = {}
        self._started = self._complete = False
        self.changes = 0  # how often something was declared: what is kept by name asks for it

    def add(self, name: str, declaration: Declared, module: str) -> None:
        """Declare. Raises RanklensError where another module has one of its names."""
        names = frozenset(self._names_of(declaration))
        package = declaring_package(module)
        for other_name, entry in self._entries.items():
            shared = names & entry.names
            if shared and not (other_name == name and module == entry.module):
                raise RanklensError(
                    f"The {self._what} {name} of {package or 'Ranklens'} has a name of {other_name}"
                    f" of {entry.package or 'Ranklens'}: {', '.join(sorted(shared))}.",
                    f"A {self._what} needs unique names.",
                )
        self._entries[name] = _Entry(declaration, module, names, package)
        self.changes += 1
        if _loading is not None:
            _loading.declarations.append((self, name))

    def __getitem__(self, name: str) -> Declared:
        return self._entries[name].declaration

    def replace(self, name: str, declaration: Declared) -> None:
        """Put a fuller declaration of the same name in the place of one."""
        previous = self._entries[name]
        self._entries[name] = _Entry(declaration, previous.module, previous.names, previous.package)

    def all(self) -> list[Declared]:
        """All declarations, ours first, in the order in which they were made."""
        if not self._complete:
            with _lock:
                # A plug-in that asks while it is loaded gets what there is.
                if not self._started:
                    self._started = True
                    _load(self._group)
                    self._complete = True
        return [entry.declaration for entry in self._entries.values()]

    def loaded_declarations(self) -> list[Declared]:
        """What is declared so far, without loading a plug-in."""
        return [entry.declaration for entry in self._entries.values()]

    def has_plugins(self) -> bool:
        """Whether a plug-in is installed that may add to what is declared."""
        return bool(_installed_entry_points(self._group))

    def remove(self, name: str, failed_module: str) -> None:
        """Forget a declaration of the module that failed, or of one that it could not import."""
        module = self._entries[name].module
        if module == failed_module or module not in sys.modules:
            del self._entries[name]


def _load(group: str) -> None:
    """Import what is installed for this group; who fails is told of, once."""
    global _loading
    for point in _installed_entry_points(group):
        package = _package_name(point) or point.value
        if (package, point.value) in _failed:
            continue
        previous, _loading = _loading, _Loading(package)
        try:
            point.load()
        except BaseException as error:  # also SystemExit, and what a package declares itself
            _failed.add((package, point.value))
            for registry, name in _loading.declarations:
                registry.remove(name, point.module)
            _warn_of_failure(package, point, error)
        finally:
            _loading = previous


def failed_packages() -> list[str]:
    """The packages of which a plug-in could not be loaded, by name."""
    return sorted({package for package, _ in _failed})


def _warn_of_failure(package: str, point: EntryPoint, error: BaseException) -> None:
    reason = error.message if isinstance(error, RanklensError) else describe_error(error)
    entry_point = f"entry point {point.group}: {point.name} = {point.value}"
    warn_once(f"A plug-in of {package} was not loaded ({entry_point}). {reason}", package)


@cache
def warn_once(message: str, package: str) -> None:
    """Tell of what is wrong with a package where nobody waits for an answer: as a warning of the
    logger `ranklens`, which Python prints on stderr unless somebody handles it."""
    import logging

    hint = f"The rest works. Fix or uninstall {package}, or disable all plug-ins: {VARIABLE}=none."
    logging.getLogger("ranklens").warning("%s", RanklensError(message, hint))


def describe_error(error: BaseException) -> str:
    """An error as a sentence."""
    return f"{type(error).__name__}: {error}".removesuffix(": ").rstrip(".") + "."


def _installed_entry_points(group: str) -> list[EntryPoint]:
    if os.environ.get(VARIABLE) == "none" or not _any_entry_point(tuple(sys.path)):
        return []
    from importlib.metadata import entry_points

    try:
        points = list(entry_points(group=group))
    except Exception:  # what a package names cannot be read, and one is enough
        points = _readable_entry_points(group)
    return sorted(points, key=lambda point: (_package_name(point), point.name))


def _readable_entry_points(group: str) -> list[EntryPoint]:
    """The entry points of the packages whose entry points can be read; the others are named."""
    from importlib.metadata import distributions

    points_by_package: dict[str, list[EntryPoint]] = {}
    for package in distributions():
        package_name = f"a package in {package.locate_file('')}"
        try:
            package_name = package.name or package_name
            if package_name not in points_by_package:  # one that comes later on the path is hidden
                points_by_package[package_name] = list(package.entry_points.select(group=group))
        except Exception as error:
            warn_once(
                f"The entry points of {package_name} cannot be read. {describe_error(error)}",
                package_name,
            )
    return [point for points in points_by_package.values() for point in points]


def _package_name(point: EntryPoint) -> str:
    """The name of the package that an entry point is of; "" where it does not say one."""
    with suppress(Exception):  # its description is not there, or is none
        return point.dist.name or "" if point.dist is not None else ""
    return ""


@lru_cache(maxsize=1)
def _any_entry_point(path: tuple[str, ...]) -> bool:
    """Whether a package in these folders names an entry point of ours. To load importlib.metadata
    and to have it look takes ten times as long, at every start, and most have no plug-in."""
    return any(_PREFIX in text for folder in path for text in _entry_points_in(folder))


def _entry_points_in(folder: str) -> Iterator[bytes]:
    with suppress(OSError), os.scandir(folder or ".") as entries:
        for item in entries:
            if item.name.endswith((".dist-info", ".egg-info")):
                with suppress(OSError), open(f"{item.path}/entry_points.txt", "rb") as file:  # noqa: PTH123
                    yield file.read()


def guard_function(
    function: Callable[Given, Result], what: str, package: str
) -> Callable[Given, Result]:
    """A function of a plug-in, of whose bugs a user is told whose they are: every error that is
    none of ours is raised as RanklensError, but not the interrupt of whoever waits for it."""

    @wraps(function)
    def guarded_call(*args: Given.args, **kwargs: Given.kwargs) -> Result:
        try:
            return function(*args, **kwargs)
        except (RanklensError, KeyboardInterrupt):
            raise
        except BaseException as error:
            raise RanklensError(
                f"{what} of {package} failed: {describe_error(error)}",
                f"This is a bug in {package}; report it to its authors.",
            ) from error

    return guarded_call
