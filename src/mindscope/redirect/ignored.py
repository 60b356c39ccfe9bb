# SPDX-License-Identifier: Apache-2.0
"""What a library has and mindscope does not record: an object that takes every use and does nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from mindscope.redirect import notes
from mindscope.tracking.media import Media

_ERRORS: dict[str, type[Exception]] = {}


def error_class(library: str, name: str) -> type[Exception]:
    """Return the exception ``name`` of a library; the same one each time, so that ``except`` finds it."""
    key = f"{library}.{name}"
    if key not in _ERRORS:
        base = Exception if name == "Error" else error_class(library, "Error")
        _ERRORS[key] = cast("type[Exception]", type(name, (base,), {"__module__": library}))
    return _ERRORS[key]


def unknown(name: str) -> Any:
    """Return what stands for the attribute ``name``, such as ``wandb.Artifact``.

    Raises AttributeError for a private name: libraries ask by those whether something is there.
    """
    library, last = name.partition(".")[0], name.rpartition(".")[2]
    if last.startswith("_"):
        raise AttributeError(f"mindscope run has no {name}")
    return error_class(library, last) if last.endswith(("Error", "Exception")) else Ignored(name)


class _Base:
    """What a class of the script has as its base in place of one that is ignored."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        notes.ignore(type(self).__name__)

    def __getattr__(self, name: str) -> Any:
        return unknown(f"{type(self).__name__}().{name}")


class Ignored(Media):
    """Takes calls, attributes, items and ``with``, and does nothing; the first call of a name is a warning.

    It is empty and false. Called with a function or a class only, it returns that, as a decorator does.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return unknown(f"{self._name}.{name}")

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        self._warn()
        if len(arguments) == 1 and not options and callable(arguments[0]) and not isinstance(arguments[0], Ignored):
            return arguments[0]
        return Ignored(f"{self._name}()")

    def add(self, *arguments: Any, **options: Any) -> Any:
        """Record nothing."""
        self._warn()

    def _warn(self) -> None:
        if "()" not in self._name:  # what an ignored call returned was warned of
            notes.ignore(self._name)

    def __getitem__(self, key: Any) -> Any:
        return Ignored(f"{self._name}[{key!r}]"[:100])

    def __setitem__(self, key: Any, value: Any) -> None: ...

    def __delitem__(self, key: Any) -> None: ...

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __bool__(self) -> bool:
        return False

    def __contains__(self, item: Any) -> bool:
        return False

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: Any) -> None: ...

    def __or__(self, other: Any) -> Any:
        return self  # in an annotation

    __ror__ = __or__

    def __mro_entries__(self, bases: Any) -> tuple[type, ...]:
        return (_Base,)

    def __instancecheck__(self, instance: Any) -> bool:
        return False

    def __subclasscheck__(self, subclass: Any) -> bool:
        return False

    def __fspath__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        return f"<{self._name} of mindscope run>"

    __repr__ = __str__


def quiet(*arguments: Any, **options: Any) -> None:
    """Do nothing where nothing is lost, as for ``wandb.require``."""
