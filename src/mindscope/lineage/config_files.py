# SPDX-License-Identifier: Apache-2.0
"""Reads hyperparameters that other programs store in files beside the event files."""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, cast

from mindscope.errors import FormatError, MindscopeError
from mindscope.formats.json_text import parse_json
from mindscope.lineage.cell import Cell, flatten
from mindscope.lineage.yaml_text import parse_yaml
from mindscope.reasons import Reason, Value, os_reason

NAMES = ("params.json", "params.yaml", "hparams.yaml", ".hydra/config.yaml", "config.yaml")
"""Files to read, by precedence: if several files set a name, the first one counts.

Ray Tune and DVC write ``params``, Lightning ``hparams.yaml``, Hydra ``.hydra/config.yaml``.
"""
MOST_BYTES = 1 << 20
"""A larger file is not a configuration file."""
MOST_SETTINGS = 2000
"""Limit for one file."""

SETTLED_NS = 2_000_000_000
UNSETTLED = -1
"""Replaces the modification time of a directory that changed less than ``SETTLED_NS`` ago."""

Stamp = tuple[tuple[str, int, int], ...]


@dataclass(frozen=True, slots=True)
class ConfigFiles:
    """Settings by dotted name, and one message for each problem."""

    settings: Mapping[str, Cell] = field(default_factory=dict[str, Cell])
    problems: tuple[Reason, ...] = ()


NONE = ConfigFiles()


class _UnusableError(MindscopeError):
    """A file that holds no settings; ``code`` and ``values`` are those of its reason."""

    def __init__(self, code: str, **values: Value) -> None:
        super().__init__(code)
        self.code = code
        self.values = values


def config_stamp(directory: Path, before: Stamp = ()) -> Stamp:
    """A key of the files of ``NAMES`` in the directory: (name, nanoseconds, bytes) of each. Changes when they do.

    ``before`` is the previous key: the function lists the directory again only if its modification time changed.
    """
    if before and all(_stat(directory, name) == tuple(state) for name, *state in before):
        return before
    stamp: list[tuple[str, int, int]] = []
    for folder in ("", ".hydra"):
        state = _stat(directory, folder)
        if state is None:
            break
        # A directory that changed a moment ago may change again with the same time, so it is listed next time too.
        is_settled = time.time_ns() - state[0] > SETTLED_NS
        stamp.append((folder, state[0] if is_settled else UNSETTLED, 0))
        wanted = [name for name in NAMES if str(Path(name).parent) == (folder or ".")]
        try:
            names = frozenset(os.listdir(directory / folder))  # noqa: PTH208 (ten thousand times)
        except OSError:
            break
        found = ((name, _stat(directory, name)) for name in wanted if Path(name).name in names)
        stamp.extend((name, *state) for name, state in found if state is not None)
        if ".hydra" not in names:
            break
    return tuple(stamp)


def _stat(directory: Path, name: str) -> tuple[int, int] | None:
    """The modification time in nanoseconds, and the size; None if the file is gone. A directory has size 0."""
    try:
        found = os.lstat(os.path.join(directory, name))  # noqa: PTH118 (ten thousand times)
    except OSError:
        return None
    return found.st_mtime_ns, 0 if stat.S_ISDIR(found.st_mode) else found.st_size


def read_config_files(directory: Path, stamp: Stamp | None = None) -> ConfigFiles:
    """The settings of all files of ``NAMES`` in the directory of a run. A bad file does not affect the others.

    ``stamp`` is the result of ``config_stamp``, if the caller has it: only its files are read.
    """
    there = {name for name, _, _ in (config_stamp(directory) if stamp is None else stamp)}
    settings: dict[str, Cell] = {}
    problems: list[Reason] = []
    for name in filter(there.__contains__, NAMES):
        path = directory / name
        try:
            text = _read_text(path)
            parse = parse_json if name.endswith(".json") else parse_yaml
            settings = dict(_settings(text, parse)) | settings
        except FileNotFoundError:
            continue
        except OSError as error:
            problems.append(Reason("settings_unreadable", file=str(path), **os_reason(error)))
        except _UnusableError as error:
            problems.append(Reason(error.code, file=str(path), **error.values))
        except (ValueError, RecursionError) as error:  # of the parsers
            problems.append(Reason("settings_malformed", file=str(path), detail=" ".join(str(error).split())))
    return ConfigFiles(settings, tuple(problems)) if settings or problems else NONE


def _settings(text: str, parse: Callable[[str], Any]) -> Iterator[tuple[str, Cell]]:
    """The settings in a text. Raises _UnusableError, ValueError."""
    try:
        value = parse(text)
    except json.JSONDecodeError as error:
        raise FormatError(f"line {error.lineno}, column {error.colno}: {error.msg}") from None
    if value is None:  # an empty YAML file
        return
    if not isinstance(value, Mapping):
        raise _UnusableError("settings_without_names", type=type(value).__name__)
    found = list(islice(flatten(cast("Mapping[Any, Any]", value)), MOST_SETTINGS + 1))
    if len(found) > MOST_SETTINGS:
        raise _UnusableError("settings_too_many", most=MOST_SETTINGS)
    yield from found


def _read_text(path: Path) -> str:
    """The text of a file. Raises OSError; _UnusableError if it is a link, not a regular file, or too large."""
    folder = os.path.realpath(path.parent.parent if path.parent.name == ".hydra" else path.parent)
    inside = os.path.join(folder, *path.parts[-2:] if path.parent.name == ".hydra" else path.parts[-1:])  # noqa: PTH118
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if os.path.realpath(path) != inside:
            raise _UnusableError("settings_link")
        if not stat.S_ISREG(found.st_mode):
            raise _UnusableError("settings_no_file")
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise _UnusableError("settings_too_large", size=found.st_size, most=MOST_BYTES)
    return data.decode("utf-8-sig")
