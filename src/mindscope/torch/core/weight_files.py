# SPDX-License-Identifier: Apache-2.0
"""Weights of a network in a file of the format safetensors."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from os import PathLike
from pathlib import Path

from torch import Tensor

from mindscope.errors import FormatError, MissingPackageError

try:
    from safetensors import SafetensorError
    from safetensors.torch import load_file, save_file  # pyright: ignore[reportUnknownVariableType]
except ModuleNotFoundError as error:
    raise MissingPackageError("safetensors is not there, and landscapes need it; pip install safetensors") from error

SUFFIX = ".safetensors"


def write_weights(tensors: Mapping[str, Tensor], file: Path) -> None:
    """Write CPU tensors, each contiguous and with memory of its own. Raises OSError."""
    try:
        save_file(dict(tensors), file, {"format": "pt"})
    except SafetensorError as error:
        number = re.search(r"os error (\d+)", str(error))
        if number is None:
            raise
        code = int(number[1])
        raise OSError(code, f"{os.strerror(code)}: {file}") from error


def read_weights(file: str | PathLike[str]) -> dict[str, Tensor]:
    """The tensors by name, on the CPU.

    Raises:
        FileNotFoundError: there is no such file.
        FormatError: it is not whole, or of another format.
    """
    try:
        return load_file(file)
    except SafetensorError as error:
        raise FormatError(f"{file}: {error}; want a file of the format safetensors") from error
