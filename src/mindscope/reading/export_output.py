# SPDX-License-Identifier: Apache-2.0
"""The target directory of an export."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import BinaryIO

from mindscope.errors import ExportError
from mindscope.formats.barrier import as_format_error

MOST_NAMED = 3
"""Number of existing files that an error names; it counts the rest."""


class Output:
    """Writes files below a directory, which it creates with the first one. Replaces files only if allowed."""

    def __init__(self, directory: Path, overwrite: bool) -> None:
        self.directory = directory
        self.files: list[Path] = []  # written files, in order
        self.failures: list[str] = []  # one message for each value that could not be read
        self._overwrite = overwrite

    def refuse_existing(self, paths: Iterable[PurePath]) -> None:
        """Raise ExportError if any of ``paths`` exists and must not be replaced."""
        existing = [str(self.directory / path) for path in paths if _is_there(self.directory / path)]
        if existing and not self._overwrite:
            more = f" and {len(existing) - MOST_NAMED} more" if len(existing) > MOST_NAMED else ""
            raise ExportError(
                f"{', '.join(existing[:MOST_NAMED])}{more} exist already: choose another target, or allow overwriting"
            )

    @contextmanager
    def open(self, path: PurePath) -> Generator[BinaryIO, None, None]:
        """Yield a new file to write to. It is deleted if writing fails."""
        full_path = self.directory / path
        full_path.parent.mkdir(parents=True, exist_ok=True)
        if self._overwrite:
            full_path.unlink(missing_ok=True)  # replace a link, do not follow it
        with full_path.open("xb") as file:
            try:
                yield file
            except BaseException:
                full_path.unlink(missing_ok=True)
                raise
        self.files.append(full_path)

    def write(self, path: PurePath, data: bytes) -> None:
        """Write one complete file."""
        with self.open(path) as file:
            file.write(data)

    @contextmanager
    def noting_failures(self, what: str) -> Generator[None, None, None]:
        """Continue after a value that can't be read; ``what`` names it in the report. Write files outside of it."""
        try:
            yield
        except Exception as error:
            self.failures.append(f"{what}: {as_format_error(error, 'value')}")


def _is_there(path: Path) -> bool:
    return path.is_symlink() or (any(path.iterdir()) if path.is_dir() else path.exists())
