# SPDX-License-Identifier: Apache-2.0
"""Moves the directories of runs inside the base directory. Follows no link and replaces nothing."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from mindscope.server.run_files.directories import opened

MOST_BYTES = 255
"""Limit of a name in common file systems."""


@dataclass(frozen=True, slots=True)
class DirectoryMove:
    """The directory of a run by its names below the base, and its new names."""

    run: str
    names: tuple[str, ...]
    to: tuple[str, ...]


def names_of(id: str) -> tuple[str, ...] | None:
    """Return the names of directories in the id of a run; None if one is no plain name."""
    names = tuple(id.split("/"))
    return names if all(_is_plain(name) for name in names) else None


def move_directories(base: Path, moves: Sequence[DirectoryMove]) -> None:
    """Move all directories; if one can't be moved, move the others back.

    Raises OSError with the id of the run as its ``filename``; FileExistsError if its new directory exists.
    """
    done: list[DirectoryMove] = []
    made: set[tuple[str, ...]] = set()
    try:
        for move in moves:
            made.update(_make_parents(base, move.to))
            _rename(base, move.names, move.to)
            done.append(move)
    except OSError as error:
        for move in reversed(done):
            _rename(base, move.to, move.names)
        _remove_empty(base, made)
        error.filename = moves[len(done)].run
        raise


def _is_plain(name: str) -> bool:
    return name not in {"", ".", ".."} and name.isprintable() and len(os.fsencode(name)) <= MOST_BYTES


def _make_parents(base: Path, names: tuple[str, ...]) -> list[tuple[str, ...]]:
    made: list[int] = []
    with opened(base, names[:-1], makes=made):
        return [names[:depth] for depth in made]


def _rename(base: Path, names: tuple[str, ...], to: tuple[str, ...]) -> None:
    with opened(base, names[:-1]) as source, opened(base, to[:-1]) as target:
        with opened(base, names):  # a link or a file is refused
            pass
        with suppress(FileNotFoundError):
            os.stat(to[-1], dir_fd=target, follow_symlinks=False)
            raise FileExistsError(None, "exists", to[-1])
        os.rename(names[-1], to[-1], src_dir_fd=source, dst_dir_fd=target)


def _remove_empty(base: Path, directories: Iterable[tuple[str, ...]]) -> None:
    for names in sorted(directories, key=len, reverse=True):
        with suppress(OSError), opened(base, names[:-1]) as parent:
            os.rmdir(names[-1], dir_fd=parent)
