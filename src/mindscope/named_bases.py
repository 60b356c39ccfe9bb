# SPDX-License-Identifier: Apache-2.0
"""Several base directories of one viewer, each under a name: a directory that holds a link to each of them.

All that reads a base directory reads this one, and follows its links, which are listed in a file beside them.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, cast

from mindscope.errors import SettingsError, UsageError

LIST_NAME = ".mindscope-bases.json"


def parse_bases(directories: Sequence[str]) -> dict[str, str]:
    """Return the directories by name: of ``name=directory``, else the last name of the path.

    Raises UsageError for a name that is given twice.
    """
    bases: dict[str, str] = {}
    for text in directories:
        name, directory = _named(text)
        if not name or name in (".", ".."):
            raise UsageError(f"{text}: give it a name among several directories, as runs={text}")
        if name in bases:
            raise UsageError(
                f"{bases[name]} and {directory} are both named {name}: give one another name, as other={directory}"
            )
        bases[name] = directory
    return bases


def are_several(directories: Sequence[str]) -> bool:
    """Return whether the arguments of a command name several directories, or one by name."""
    return len(directories) > 1 or any(_named(text)[1] != text for text in directories)


class NamedBase(NamedTuple):
    """What a user gave, a path or the address of a remote store, and the directory that has it or mirrors it."""

    source: str
    directory: Path


def linked_bases(bases: Mapping[str, NamedBase], workspace: Path) -> Path:
    """Return the directory in a workspace that has a link to each directory; the same for the same directories.

    Raises SettingsError if it can't be written.
    """
    sources = {name: base.source for name, base in bases.items()}
    key = json.dumps(sources, sort_keys=True).encode()
    directory = workspace / "bases" / hashlib.sha256(key).hexdigest()[:16]
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for name, base in bases.items():
            if not (directory / name).is_symlink():
                (directory / name).symlink_to(base.directory)
        (directory / LIST_NAME).write_text(json.dumps(sources))
    except OSError as error:
        raise SettingsError(
            f"{directory}: {error.strerror}; choose another workspace with --workspace, or give one directory"
        ) from error
    return directory


def bases_in(directory: str | os.PathLike[str]) -> dict[str, NamedBase]:
    """Return the bases by name of a directory that ``linked_bases`` made; empty for another one."""
    try:
        listed = json.loads((Path(directory) / LIST_NAME).read_text())
    except (OSError, ValueError):
        return {}
    sources = cast("dict[str, object]", listed) if isinstance(listed, dict) else {}
    links = {name: Path(directory) / name for name in sources if "/" not in name}
    return {
        name: NamedBase(str(sources[name]), Path(os.path.realpath(link)))
        for name, link in links.items()
        if link.is_symlink()
    }


def roots_of(base: str | os.PathLike[str]) -> tuple[Path, ...]:
    """Return the directories that hold the runs of a base directory: itself, or those it links to by name."""
    return tuple(named.directory for named in bases_in(base).values()) or (Path(base),)


def base_text(base: str | os.PathLike[str]) -> str:
    """Return a base directory for users: its path, or ``name=path`` of several."""
    return ", ".join(f"{name}={named.source}" for name, named in bases_in(base).items()) or str(base)


def _named(text: str) -> tuple[str, str]:
    name, sign, directory = text.partition("=")
    if sign and directory and "/" not in name and not Path(text).exists():
        return name, directory
    return Path(text).expanduser().absolute().name, text
