# SPDX-License-Identifier: Apache-2.0
"""Checks the arguments of a recorder in its constructor."""

from __future__ import annotations

import logging
import numbers
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np

from mindscope.capture.disk_errors import directory_error

_LOG = logging.getLogger("mindscope")
_NAME_PART = re.compile(r"\w+[0-9a-zA-Z_.]*", re.ASCII)
MIN_FILE_SIZE = 64 << 10
"""Bytes: about a thousand steps of a scalar."""
_MAX_WORKERS = 8  # more would encode faster than one thread writes


def check_log_dir(log_dir: Any, argument: str = "log_dir") -> Path:
    """Return the directory; creates it if needed.

    Raises TypeError for other types, ValueError for a blank name, OSError if it can't be created.
    """
    if not isinstance(log_dir, (str, os.PathLike)):
        raise TypeError(f"{argument} is {type(log_dir).__name__} {log_dir!r}, want the path of a directory")
    if not str(cast(Any, log_dir)).strip():
        raise ValueError(f"{argument} is {str(cast(Any, log_dir))!r}, want the path of a directory that is not blank")
    directory = Path(cast(str, log_dir)).expanduser().absolute()
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise directory_error(error, directory) from error
    return directory


def check_name_part(argument: str, text: Any) -> str:
    """Return a prefix or suffix.

    Raises TypeError if it is not text, ValueError for characters not allowed in a file name.
    """
    if not isinstance(text, str):
        raise TypeError(f"{argument} is {type(text).__name__} {text!r}, want text")
    if not _NAME_PART.fullmatch(text):
        raise ValueError(f"{argument} is {text!r}, want letters, digits, underscores and dots, no dot first")
    return text


def check_suffix(text: Any) -> str:
    """Return a suffix that differs from that of the lineage file."""
    suffix = check_name_part("file_suffix", text)
    if suffix == "_lineage":
        raise ValueError("file_suffix is '_lineage', which is the suffix of the lineage file; choose another one")
    return suffix


def check_workers(num_process: Any) -> int:
    """Return the number of threads that encode: ``num_process``, from 1 to the number of processors.

    MindSpore takes any value and ignores it; mindscope takes any number. Raises TypeError for others.
    """
    if not isinstance(num_process, numbers.Real) or num_process != num_process:
        raise TypeError(f"num_process is {type(num_process).__name__} {num_process!r}, want a number of threads")
    most = min(os.cpu_count() or 1, _MAX_WORKERS)
    return int(max(1, min(cast(float, num_process), most)))


def check_max_file_size(size: Any) -> int | None:
    """Return bytes, or None for no limit. As in MindSpore, a size that is not positive means no limit, with a warning.

    One below ``MIN_FILE_SIZE`` becomes that, with a warning. Raises TypeError if it is not an integer.
    """
    if size is None:
        return None
    if not _is_whole(size):
        raise TypeError(f"max_file_size is {type(size).__name__} {size!r}, want a whole number of bytes or None")
    if size <= 0:
        _LOG.warning("max_file_size is %d, want more than 0; files are not limited", size)
        return None
    if size < MIN_FILE_SIZE:
        _LOG.warning(
            "max_file_size is %d bytes, which would make a file of each step; it is raised to %d", size, MIN_FILE_SIZE
        )
    return max(int(size), MIN_FILE_SIZE)


DEFAULT_QUEUE_TIMEOUT_S = 30.0
"""Limit of a wait. A disk that is busy with a checkpoint is usually free again by then."""


def check_queue_timeout(seconds: Any) -> float | None:
    """Return seconds, or None for no limit. Raises TypeError if it is not a number, ValueError below 0 or for NaN."""
    if seconds is None:
        return None
    if not isinstance(seconds, (int, float)) or isinstance(seconds, bool):
        raise TypeError(f"queue_timeout is {type(seconds).__name__} {seconds!r}, want seconds or None")
    if not 0 <= seconds < float("inf"):
        raise ValueError(f"queue_timeout is {seconds}, want 0 or more seconds, or None to wait as long as it takes")
    return float(seconds)


def _is_whole(value: Any) -> bool:
    return hasattr(value, "__index__") and not isinstance(value, (bool, np.bool_)) and not getattr(value, "shape", ())


def check_flag(argument: str, value: Any) -> bool:
    """Return true or False. Raises TypeError."""
    if not isinstance(value, bool):
        raise TypeError(f"{argument} is {type(value).__name__} {value!r}, want True or False")
    return value


def check_export_options(options: Any) -> bool:
    """Return whether tensors are exported as NPY files too: ``None`` or ``{"tensor_format": "npy" or None}``."""
    if options is None:
        return False
    if not isinstance(options, Mapping):
        raise TypeError(f"export_options is {type(options).__name__}, want a dict such as {{'tensor_format': 'npy'}}")
    entries = cast(Mapping[Any, Any], options)
    unknown = set(entries) - {"tensor_format"}
    if unknown:
        raise ValueError(f"export_options has {sorted(map(str, unknown))}, want only 'tensor_format'")
    form = entries.get("tensor_format")
    if form is not None and not isinstance(form, str):
        raise TypeError(f"export_options['tensor_format'] is {type(form).__name__}, want 'npy' or None")
    if form not in ("npy", None):
        raise ValueError(f"export_options['tensor_format'] is {form!r}, want 'npy' or None")
    return form == "npy"


def check_step(step: Any) -> int:
    """Return an integer that fits int64. Raises TypeError, ValueError."""
    if not _is_whole(step):
        raise TypeError(f"step is {type(step).__name__} {step!r}, want a whole number")
    whole = int(step)
    if not -(1 << 63) <= whole < 1 << 63:
        raise ValueError(f"step is {whole}, want one between -2**63 and 2**63 - 1")
    return whole
