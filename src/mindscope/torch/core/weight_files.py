# SPDX-License-Identifier: Apache-2.0
"""Weights of a network in a file of the format safetensors."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from importlib.util import find_spec
from os import PathLike
from pathlib import Path

from torch import Tensor

from mindscope.errors import FormatError, MissingPackageError

SUFFIX = ".safetensors"


def require_safetensors() -> None:
    """Raises MissingPackageError if safetensors is not installed."""
    if find_spec("safetensors") is None:
        raise MissingPackageError("safetensors is not installed, landscapes need it: pip install safetensors")


def write_weights(tensors: Mapping[str, Tensor], file: Path) -> None:
    """Write CPU tensors, each contiguous and with memory of its own. Raises OSError and MissingPackageError."""
    require_safetensors()
    from safetensors import SafetensorError
    from safetensors.torch import save_file  # pyright: ignore[reportUnknownVariableType]

    try:
        save_file(dict(tensors), file, {"format": "pt"})
    except SafetensorError as error:
        number = re.search(r"os error (\d+)", str(error))
        if number is None:
            raise
        code = int(number[1])
        raise OSError(code, f"{os.strerror(code)}: {file}") from error


def read_weights(file: str | PathLike[str]) -> dict[str, Tensor]:
    """Return the tensors by name, on the CPU.

    Raises:
        FileNotFoundError: there is no such file.
        FormatError: it is not whole, or of another format.
        MissingPackageError: safetensors is not installed.
    """
    require_safetensors()
    from safetensors import SafetensorError
    from safetensors.torch import load_file  # pyright: ignore[reportUnknownVariableType]

    try:
        return load_file(file)
    except SafetensorError as error:
        raise FormatError(f"{file}: {error}; want a file of the format safetensors") from error
