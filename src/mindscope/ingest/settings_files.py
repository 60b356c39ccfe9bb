# SPDX-License-Identifier: Apache-2.0
"""Finds the settings files of each run: files of hyperparameters that other programs write beside the event files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence

from mindscope.store.contents import SettingsFile

HYDRA_DIRECTORY = ".hydra"
HYDRA_FILE = f"{HYDRA_DIRECTORY}/config.yaml"
SETTINGS_FILES = ("params.json", "params.yaml", "hparams.yaml", HYDRA_FILE, "config.yaml")
"""Names of settings files by precedence: if several files set a name, the first one counts.

Ray Tune and DVC write ``params``, Lightning ``hparams.yaml``, Hydra ``.hydra/config.yaml``.
"""
_NAMES = frozenset(map(os.path.basename, SETTINGS_FILES))


def is_settings_name(name: str) -> bool:
    """Return whether a file of this name may be a settings file."""
    return name in _NAMES


def settings_name(entry: os.DirEntry[str]) -> str | None:
    """Return the name of the settings file that an entry may be; None if it is none."""
    if entry.name in _NAMES:
        return entry.name
    return HYDRA_FILE if entry.name == HYDRA_DIRECTORY and entry.is_symlink() else None  # no link is followed


def read_states(paths: Iterable[str]) -> tuple[SettingsFile, ...]:
    """Return the present state of these files, without those that are gone. Follows no link."""
    settings_files: list[SettingsFile] = []
    for path in paths:
        try:
            state = os.lstat(path)
        except OSError:
            continue
        settings_files.append(SettingsFile.of(path, state))
    return tuple(settings_files)


class SettingsFinder:
    """Finds settings files in the listings of one discovery.

    Hydra writes ``.hydra/config.yaml`` into the directory of a job, and the job often writes its event files into a
    directory below. So a run without that file uses the one of the nearest directory above it, up to the base. The file
    of a directory that has event files belongs to that run alone.
    """

    def __init__(self, base: str, settings: Mapping[str, Sequence[str]], has_events: Callable[[str], bool]) -> None:
        """``settings``: names of settings files by directory. ``has_events``: whether a directory has event files."""
        self._base = base
        self._settings = settings
        self._has_events = has_events
        self._above: dict[str, str | None] = {}  # by directory: the file of Hydra that runs directly below it use

    def of_run(self, directory: str) -> tuple[SettingsFile, ...]:
        """Return the files of the run in ``directory``, by precedence."""
        own_hydra = self._hydra_file(directory)
        names = {*self._settings.get(directory, ()), *(() if own_hydra is None else (HYDRA_FILE,))}
        paths = [f"{directory}{os.sep}{name}" for name in SETTINGS_FILES if name in names]
        if own_hydra is None and directory != self._base:
            inherited = self._from_above(os.path.dirname(directory))  # noqa: PTH120 (ten thousand times)
            paths += [] if inherited is None else [inherited]
        return read_states(paths) if paths else ()

    def _from_above(self, directory: str) -> str | None:
        """Return the file that a run directly below ``directory`` uses."""
        if directory not in self._above:
            self._above[directory] = self._search(directory)
        return self._above[directory]

    def _search(self, directory: str) -> str | None:
        if len(directory) < len(self._base) or self._has_events(directory):
            return None
        if (hydra_file := self._hydra_file(directory)) is not None:
            return hydra_file
        return None if directory == self._base else self._from_above(os.path.dirname(directory))  # noqa: PTH120

    def _hydra_file(self, directory: str) -> str | None:
        setting = self._settings.get(directory, ())
        is_there = HYDRA_FILE in setting or "config.yaml" in self._settings.get(
            f"{directory}{os.sep}{HYDRA_DIRECTORY}", ()
        )
        return f"{directory}{os.sep}{HYDRA_FILE}" if is_there else None
