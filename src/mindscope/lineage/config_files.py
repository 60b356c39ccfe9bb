# SPDX-License-Identifier: Apache-2.0
"""Reads hyperparameters that other programs store in files beside the event files."""

from __future__ import annotations

import errno
import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, cast

from mindscope.artifacts.yaml_text import parse_yaml
from mindscope.errors import FormatError, MindscopeError
from mindscope.formats.json_text import parse_json
from mindscope.lineage.cell import Cell, flatten
from mindscope.reasons import Reason, Value, os_reason

MOST_BYTES = 1 << 20
"""A larger file is not a configuration file."""
MOST_SETTINGS = 2000
"""Limit for one file."""


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


def read_config_files(paths: Iterable[str]) -> ConfigFiles:
    """Return the settings of all files. If several files set a name, the first one counts.

    A bad file affects no other.
    """
    settings: dict[str, Cell] = {}
    problems: list[Reason] = []
    for path in paths:
        try:
            settings = dict(_read_settings(Path(path))) | settings
        except FileNotFoundError:
            continue
        except OSError as error:
            problems.append(Reason("settings_unreadable", file=path, **os_reason(error)))
        except _UnusableError as error:
            problems.append(Reason(error.code, file=path, **error.values))
        except (ValueError, RecursionError) as error:  # of the parsers
            problems.append(Reason("settings_malformed", file=path, detail=" ".join(str(error).split())))
    return ConfigFiles(settings, tuple(problems)) if settings or problems else NONE


def _read_settings(path: Path) -> Iterator[tuple[str, Cell]]:
    return _settings(_read_text(path), parse_json if path.suffix == ".json" else parse_yaml)


def _settings(text: str, parse: Callable[[str], Any]) -> Iterator[tuple[str, Cell]]:
    """Yield the settings in a text. Raises _UnusableError, ValueError."""
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
    """Return the text of a file. Raises OSError; _UnusableError if it is a link, not a regular file, or too large."""
    folder = os.path.realpath(path.parent.parent if path.parent.name == ".hydra" else path.parent)
    inside = os.path.join(folder, *path.parts[-2:] if path.parent.name == ".hydra" else path.parts[-1:])  # noqa: PTH118
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise _UnusableError("settings_link") from error
        raise
    try:
        found = os.fstat(descriptor)
        if os.path.realpath(path) != inside:
            raise _UnusableError("settings_link")
        if not stat.S_ISREG(found.st_mode):  # before it is opened as a file: a directory can't be, and stays open then
            raise _UnusableError("settings_no_file")
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            data = file.read(MOST_BYTES + 1)
    finally:
        os.close(descriptor)
    if len(data) > MOST_BYTES:
        raise _UnusableError("settings_too_large", size=found.st_size, most=MOST_BYTES)
    return data.decode("utf-8-sig")
