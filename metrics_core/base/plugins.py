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

    declared: Declared
    module: str
    names: frozenset[str]
    by: str


@dataclass
class _Loading:
    """The package whose plug-in is being loaded, and what it has declared so far."""

    by: str
    added: list[tuple[Registry[Any], str]] = field(default_factory=list)


_lock = RLock()
_loading: _Loading | None = None
_failed: set[tuple[str, str]] = set()


def adding(module: str) -> str:
    """Who declares in a module: "" for ours, else the package whose plug-in is being loaded, or
    the module where somebody imported it."""
    top = module.partition(".")[0]
    if top == _OURS:
        return ""
    return top if _loading is None else _loading.by


class Registry(Generic[Declared]):
    """What is declared under `group`, by name. `what` is one of them in a word; `names_of` gives
    all names, as they are compared, by which one can be asked for."""

    def __init__(
        self, group: str, what: str, names_of: Callable[[Declared], Iterable[str]]
    ) -> None:
        self._group, self._what, self._names_of = group, what, names_of
        self._entries: dict[str, _Entry[Declared]] = {}
        self._begun = self._complete = False
        self.changes = 0  # how often something was declared: what is kept by name asks for it

    def add(self, name: str, declared: Declared, module: str) -> None:
        """Declare. Raises RanklensError where another module has one of its names."""
        names = frozenset(self._names_of(declared))
        by = adding(module)
        for known, entry in self._entries.items():
            shared = names & entry.names
            if shared and not (known == name and module == entry.module):
                raise RanklensError(
                    f"The {self._what} {name} of {by or 'Ranklens'} has a name of {known} of"
                    f" {entry.by or 'Ranklens'}: {', '.join(sorted(shared))}.",
                    f"A {self._what} needs unique names.",
                )
        self._entries[name] = _Entry(declared, module, names, by)
        self.changes += 1
        if _loading is not None:
            _loading.added.append((self, name))

    def __getitem__(self, name: str) -> Declared:
        return self._entries[name].declared

    def replace(self, name: str, declared: Declared) -> None:
        """Put a fuller declaration of the same name in the place of one."""
        old = self._entries[name]
        self._entries[name] = _Entry(declared, old.module, old.names, old.by)

    def all(self) -> list[Declared]:
        """All declarations, ours first, in the order in which they were made."""
        if not self._complete:
            with _lock:
                # A plug-in that asks while it is loaded gets what there is.
                if not self._begun:
                    self._begun = True
                    _load(self._group)
                    self._complete = True
        return [entry.declared for entry in self._entries.values()]

    def ours(self) -> list[Declared]:
        """What is declared so far, without loading a plug-in."""
        return [entry.declared for entry in self._entries.values()]

    def has_plugins(self) -> bool:
        """Whether a plug-in is installed that may add to what is declared."""
        return bool(_installed(self._group))

    def take_back(self, name: str, failed: str) -> None:
        """Forget a declaration of the module that failed, or of one that it could not import."""
        module = self._entries[name].module
        if module == failed or module not in sys.modules:
            del self._entries[name]


def _load(group: str) -> None:
    """Import what is installed for this group; who fails is told of, once."""
    global _loading
    for point in _installed(group):
        by = _package_of(point) or point.value
        if (by, point.value) in _failed:
            continue
        before, _loading = _loading, _Loading(by)
        try:
            point.load()
        except BaseException as error:  # also SystemExit, and what a package declares itself
            _failed.add((by, point.value))
            for registry, name in _loading.added:
                registry.take_back(name, point.module)
            _tell(by, point, error)
        finally:
            _loading = before


def left_out() -> list[str]:
    """The packages of which a plug-in could not be loaded, by name."""
    return sorted({by for by, _ in _failed})


def _tell(by: str, point: EntryPoint, error: BaseException) -> None:
    why = error.message if isinstance(error, RanklensError) else in_words(error)
    place = f"entry point {point.group}: {point.name} = {point.value}"
    say_once(f"A plug-in of {by} was not loaded ({place}). {why}", by)


@cache
def say_once(message: str, by: str) -> None:
    """Tell of what is wrong with a package where nobody waits for an answer: as a warning of the
    logger `ranklens`, which Python prints on stderr unless somebody handles it."""
    import logging

    hint = f"The rest works. Fix or uninstall {by}, or disable all plug-ins: {VARIABLE}=none."
    logging.getLogger("ranklens").warning("%s", RanklensError(message, hint))


def in_words(error: BaseException) -> str:
    """An error as a sentence."""
    return f"{type(error).__name__}: {error}".removesuffix(": ").rstrip(".") + "."


def _installed(group: str) -> list[EntryPoint]:
    if os.environ.get(VARIABLE) == "none" or not _any_named(tuple(sys.path)):
        return []
    from importlib.metadata import entry_points

    try:
        found = list(entry_points(group=group))
    except Exception:  # what a package names cannot be read, and one is enough
        found = _of_each_package(group)
    return sorted(found, key=lambda point: (_package_of(point), point.name))


def _of_each_package(group: str) -> list[EntryPoint]:
    """The entry points of the packages whose entry points can be read; the others are named."""
    from importlib.metadata import distributions

    found: dict[str, list[EntryPoint]] = {}
    for package in distributions():
        by = f"a package in {package.locate_file('')}"
        try:
            by = package.name or by
            if by not in found:  # one that comes later on the path is hidden
                found[by] = list(package.entry_points.select(group=group))
        except Exception as error:
            say_once(f"The entry points of {by} cannot be read. {in_words(error)}", by)
    return [point for own in found.values() for point in own]


def _package_of(point: EntryPoint) -> str:
    """The name of the package that an entry point is of; "" where it does not say one."""
    with suppress(Exception):  # its description is not there, or is none
        return point.dist.name or "" if point.dist is not None else ""
    return ""


@lru_cache(maxsize=1)
def _any_named(path: tuple[str, ...]) -> bool:
    """Whether a package in these folders names an entry point of ours. To load importlib.metadata
    and to have it look takes ten times as long, at every start, and most have no plug-in."""
    return any(_PREFIX in text for folder in path for text in _entry_points_in(folder))


def _entry_points_in(folder: str) -> Iterator[bytes]:
    with suppress(OSError), os.scandir(folder or ".") as listed:
        for item in listed:
            if item.name.endswith((".dist-info", ".egg-info")):
                with suppress(OSError), open(f"{item.path}/entry_points.txt", "rb") as file:  # noqa: PTH123
                    yield file.read()


def guarded(function: Callable[Given, Result], what: str, by: str) -> Callable[Given, Result]:
    """A function of a plug-in, of whose bugs a user is told whose they are: every error that is
    none of ours is raised as RanklensError, but not the interrupt of whoever waits for it."""

    @wraps(function)
    def called(*given: Given.args, **named: Given.kwargs) -> Result:
        try:
            return function(*given, **named)
        except (RanklensError, KeyboardInterrupt):
            raise
        except BaseException as error:
            raise RanklensError(
                f"{what} of {by} failed: {in_words(error)}",
                f"This is a bug in {by}; report it to its authors.",
            ) from error

    return called
