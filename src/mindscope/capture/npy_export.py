# SPDX-License-Identifier: Apache-2.0
"""Tensors as NPY files beside the event files: ``export_{second}/tensor/{quoted tag}_{step}.npy``.

The name of a tag that is too long for a file name is cut; a digest of the full tag makes it unique.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from urllib.parse import quote

import numpy as np

from mindscope.capture.array_conversion import Array
from mindscope.capture.file_names import FileNames

_MAX_NAME_BYTES = 200  # of a tag; file systems allow 255 for a whole name


class NpyExport:
    """Writes the tensors of one recorder into its own directory, which it creates with the first one."""

    def __init__(self, names: FileNames) -> None:
        self._names = names
        self._second = names.second
        self._directory: Path | None = None

    def write(self, tag: str, step: int, array: Array) -> None:
        """Write one file; replaces one of the same tag and step. Writes bfloat16 as float32, which is exact.

        Raises OSError; the file appears atomically.
        """
        directory = self._make_directory()
        path = directory / f"{_name(tag)}_{step}.npy"
        partial = directory / f".{os.getpid()}.partial"
        try:
            with partial.open("wb") as file:
                np.save(file, array.astype(np.float32) if array.dtype.kind == "V" else array, allow_pickle=False)
            partial.chmod(0o400)
            partial.replace(path)
        except OSError:
            partial.unlink(missing_ok=True)
            raise

    def _make_directory(self) -> Path:
        while self._directory is None:
            root = self._names.directory / f"export_{self._second}"
            try:
                root.mkdir(parents=True)
                self._directory = root / "tensor"
            except FileExistsError:
                self._second += 1
        self._directory.mkdir(parents=True, exist_ok=True)
        return self._directory


def _name(tag: str) -> str:
    name = quote(tag, safe="", errors="backslashreplace")
    if len(name) <= _MAX_NAME_BYTES:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:16]
    return f"{name[: _MAX_NAME_BYTES - len(digest) - 1]}~{digest}"
