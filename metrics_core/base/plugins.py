"""Plug-ins: measures and formats that other packages add.

An entry point of the groups `ranklens.measures` and `ranklens.formats` names a module that declares
measures or formats when it is imported, like our built-in modules. The module is imported when all
declarations of a registry are first requested, so `import metrics_core` loads no plug-in. If a
plug-in fails, this is reported once on stderr and all declarations of its package are removed;
everything else works. `RANKLENS_PLUGINS=none` disables all plug-ins."""

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
    """A declaration with its module, its package and all its names. The names are normalised for
    comparison."""

    declaration: Declared
    module: str
    names: frozenset[str]
    package: str


@dataclass
class _Loading:
    """The package whose plug-in is being loaded, and the declarations that it has made so far."""

    package: str
    declarations: list[tuple[Registry[Any], str]] = field(default_factory=list)


_lock = RLock()
_loading: _Loading | None = None
_failed: set[tuple[str, str]] = set()


def declaring_package(module: str) -> str:
    """Return the package to which the declarations in a module belong; "" for built-in modules.

    While a plug-in is being loaded, this is the package of the plug-in. Otherwise it is the
    module's top-level package."""
    top = module.partition(".")[0]
    if top == _OURS:
        return ""
    return top if _loading is None else _loading.package


class Registry(Generic[Declared]):
    """Declarations by name, from our modules and plug-ins.

    `group` is the group of entry points, and `what` is the noun for a declaration in messages.
    `names_of` returns all names of a declaration, in the form used for comparison."""

    def __init__(
        self, group: str, what: str, names_of: Callable[[Declared], Iterable[str]]
    ) -> None:
        self._group, self._what, self._names_of = group, what, names_of
        self._entries: dict[str, _Entry[Declared]] = {}
        self._started = self._complete = False
        self.changes = 0  # number of additions; caches by name check it

    def add(self, name: str, declaration: Declared, module: str) -> None:
        """Add a declaration.

        Raises RanklensError if one of the names of the declaration is already used by another
        module.
        """
        names = frozenset(self._names_of(declaration))
        package = declaring_package(module)
        for other_name, entry in self._entries.items():
            shared = names & entry.names
            if shared and not (other_name == name and module == entry.module):
                raise RanklensError(
                    f"The {self._what} {name} of {package or 'Ranklens'} and {other_name} of"
                    f" {entry.package or 'Ranklens'} have names in common:"
                    f" {', '.join(sorted(shared))}.",
                    f"Every name of a {self._what} must be unique.",
                )
        self._entries[name] = _Entry(declaration, module, names, package)
        self.changes += 1
        if _loading is not None:
            _loading.declarations.append((self, name))

    def __getitem__(self, name: str) -> Declared:
        return self._entries[name].declaration

    def replace(self, name: str, declaration: Declared) -> None:
        """Replace a declaration with a more complete declaration of the same name."""
        previous = self._entries[name]
        self._entries[name] = _Entry(declaration, previous.module, previous.names, previous.package)

    def all(self) -> list[Declared]:
        """Return all declarations in order, built-in ones first. Plug-ins are loaded if
        necessary."""
        if not self._complete:
            with _lock:
                # A plug-in that calls this while it is loaded gets the declarations so far.
                if not self._started:
                    self._started = True
                    _load_plugins(self._group)
                    self._complete = True
        return [entry.declaration for entry in self._entries.values()]

    def loaded_declarations(self) -> list[Declared]:
        """Return the declarations made so far. Plug-ins are not loaded."""
        return [entry.declaration for entry in self._entries.values()]

    def has_plugins(self) -> bool:
        """Return whether a plug-in for this group is installed."""
        return bool(_installed_entry_points(self._group))

    def remove(self, name: str, failed_module: str) -> None:
        """Remove a declaration if its module could not be imported. This is the case if the module
        is `failed_module` or is missing from the imported modules."""
        module = self._entries[name].module
        if module == failed_module or module not in sys.modules:
            del self._entries[name]


def _load_plugins(group: str) -> None:
    """Import the plug-ins of a group.

    The failure of a plug-in is reported once, and the declarations of this plug-in are removed.
    """
    global _loading
    for point in _installed_entry_points(group):
        package = _package_name(point) or point.value
        if (package, point.value) in _failed:
            continue
        previous, _loading = _loading, _Loading(package)
        try:
            point.load()
        except BaseException as error:  # also SystemExit and exceptions of the package itself
            _failed.add((package, point.value))
            for registry, name in _loading.declarations:
                registry.remove(name, point.module)
            _warn_of_failure(package, point, error)
        finally:
            _loading = previous


def failed_packages() -> list[str]:
    """Return the names of the packages with a plug-in that could not be loaded."""
    return sorted({package for package, _ in _failed})


def _warn_of_failure(package: str, point: EntryPoint, error: BaseException) -> None:
    reason = error.message if isinstance(error, RanklensError) else describe_error(error)
    entry_point = f"entry point {point.group}: {point.name} = {point.value}"
    warn_once(f"A plug-in of {package} was not loaded ({entry_point}). {reason}", package)


@cache
def warn_once(message: str, package: str) -> None:
    """Log a warning about a package, once per message.

    The warning goes to the logger `ranklens`. Python prints it to stderr unless logging is
    configured."""
    import logging

    hint = (
        f"Everything else works. Fix or uninstall {package}, or disable all plug-ins with"
        f" {VARIABLE}=none."
    )
    logging.getLogger("ranklens").warning("%s", RanklensError(message, hint))


def describe_error(error: BaseException) -> str:
    """Return an error as a sentence."""
    return f"{type(error).__name__}: {error}".removesuffix(": ").rstrip(".") + "."


def _installed_entry_points(group: str) -> list[EntryPoint]:
    if os.environ.get(VARIABLE) == "none" or not _has_our_entry_points(tuple(sys.path)):
        return []
    from importlib.metadata import entry_points

    try:
        points = list(entry_points(group=group))
    except Exception:  # one package with unreadable entry points is enough
        points = _readable_entry_points(group)
    return sorted(points, key=lambda point: (_package_name(point), point.name))


def _readable_entry_points(group: str) -> list[EntryPoint]:
    """Return the entry points of all packages. Packages whose entry points cannot be read are
    skipped and reported."""
    from importlib.metadata import distributions

    points_by_package: dict[str, list[EntryPoint]] = {}
    for package in distributions():
        package_name = f"a package in {package.locate_file('')}"
        try:
            package_name = package.name or package_name
            if package_name not in points_by_package:  # later ones on the path are hidden
                points_by_package[package_name] = list(package.entry_points.select(group=group))
        except Exception as error:
            warn_once(
                f"The entry points of {package_name} cannot be read. {describe_error(error)}",
                package_name,
            )
    return [point for points in points_by_package.values() for point in points]


def _package_name(point: EntryPoint) -> str:
    """Return the name of the package of an entry point; "" if the package is unknown."""
    with suppress(Exception):  # the package's metadata is missing or malformed
        return point.dist.name or "" if point.dist is not None else ""
    return ""


@lru_cache(maxsize=1)
def _has_our_entry_points(folders: tuple[str, ...]) -> bool:
    """Return whether a package in these folders has an entry point of one of our groups.

    The folders are searched without importlib.metadata, because the search runs at every start and
    would take ten times as long with it, although most users have no plug-in."""
    return any(_PREFIX in text for folder in folders for text in _read_entry_points(folder))


def _read_entry_points(folder: str) -> Iterator[bytes]:
    with suppress(OSError), os.scandir(folder or ".") as entries:
        for item in entries:
            if item.name.endswith((".dist-info", ".egg-info")):
                with suppress(OSError), open(f"{item.path}/entry_points.txt", "rb") as file:  # noqa: PTH123
                    yield file.read()


def guard_function(
    function: Callable[Given, Result], role: str, package: str
) -> Callable[Given, Result]:
    """Wrap a plug-in's function so that unexpected errors are raised as RanklensError.

    The error names the package. RanklensError and KeyboardInterrupt pass unchanged.
    """

    @wraps(function)
    def guarded_call(*args: Given.args, **kwargs: Given.kwargs) -> Result:
        try:
            return function(*args, **kwargs)
        except (RanklensError, KeyboardInterrupt):
            raise
        except BaseException as error:
            raise RanklensError(
                f"{role} of {package} failed: {describe_error(error)}",
                f"This is an error in {package}, not in Ranklens.",
            ) from error

    return guarded_call


def guard_with_fallback(
    function: Callable[Given, Result], fallback: Result, message: str, package: str
) -> Callable[Given, Result]:
    """Wrap a plug-in's function. If it fails, the wrapper warns once and returns `fallback`."""

    @wraps(function)
    def guarded_call(*args: Given.args, **kwargs: Given.kwargs) -> Result:
        try:
            return function(*args, **kwargs)
        except KeyboardInterrupt:  # the user cancelled
            raise
        except BaseException as error:
            warn_once(f"{message}: {package} failed. {describe_error(error)}", package)
            return fallback

    return guarded_call
