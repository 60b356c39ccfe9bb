# SPDX-License-Identifier: Apache-2.0
"""``set_context``: settings for the whole process."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import torch

from mindscope.debug.settings import read_config
from mindscope.log_settings import configure_log
from mindscope.torch.core.arguments import check_choice, check_count
from mindscope.torch.core.context import CONTEXT
from mindscope.torch.core.memory_reuse import set_memory_reuse
from mindscope.torch.core.print_file import PrintFile

GRAPH_MODE = 0
PYNATIVE_MODE = 1
_DEVICES = {"CPU": "cpu", "GPU": "cuda", "Ascend": "npu"}


def set_context(
    mode: int | None = None,
    device_target: str | None = None,
    device_id: int | None = None,
    save_graphs: bool | int | None = None,
    save_graphs_path: str | os.PathLike[str] | None = None,
    env_config_path: str | os.PathLike[str] | None = None,
    print_file_path: str | os.PathLike[str] | None = None,
) -> None:
    """Choose for the whole process. What is not given stays as it is.

    Args:
        mode: ``GRAPH_MODE`` or ``PYNATIVE_MODE``, taken for scripts that say it; ``Model(is_compiled=True)`` compiles.
        device_target: ``CPU``, ``GPU`` or ``Ascend``: where each Model brings its network.
        device_id: which GPU.
        save_graphs: save the graphs of the stages of compilation (True, 1 to 3), or no longer (False, 0).
        save_graphs_path: their directory, which is made; the working directory at first.
        env_config_path: a configuration file, ``mindspore_config.json``.
        print_file_path: the file to which ``Print`` writes its values, beside the screen; with the time in its name if
            it exists. An empty text ends the file.

    Raises:
        TypeError, ValueError: values that can't be used; the device is not there.
        OSError: the directory or the file can't be made.
    """
    configure_log()
    if mode is not None and mode not in (GRAPH_MODE, PYNATIVE_MODE):
        raise ValueError(f"mode is {mode!r}, want GRAPH_MODE (0) or PYNATIVE_MODE (1)")
    if device_target is not None or device_id is not None:
        CONTEXT.device = _device(device_target or "GPU", device_id)
    if env_config_path is not None:
        config = read_config(env_config_path)
        CONTEXT.running_data = config.running_data
        if config.is_memory_reused is not None:
            set_memory_reuse(config.is_memory_reused)
    if print_file_path is not None:
        _print_to(print_file_path)
    if save_graphs_path is not None:
        CONTEXT.graphs_path = Path(save_graphs_path)
    if save_graphs is not None:
        _save_graphs(check_count("save_graphs", int(save_graphs)) > 0)
    elif CONTEXT.graphs_directory is not None:
        _save_graphs(True)


def _print_to(path: str | os.PathLike[str]) -> None:
    if not isinstance(path, (str, os.PathLike)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"print_file_path is {type(path).__name__}, want the path of a file")
    opened = PrintFile(Path(path)) if str(path) else None
    if CONTEXT.print_file is not None:
        CONTEXT.print_file.close()
    CONTEXT.print_file = opened


def _device(target: str, number: int | None) -> torch.device:
    kind = _DEVICES[check_choice("device_target", target, tuple(_DEVICES))]
    accelerator: Any = getattr(torch, kind, None)
    if kind != "cpu" and (accelerator is None or not accelerator.is_available()):
        there = "GPU and CPU" if torch.cuda.is_available() else "CPU only"
        raise ValueError(f"device_target is {target!r}, which this machine or this PyTorch lacks; it has {there}")
    return (
        torch.device(kind) if number is None or kind == "cpu" else torch.device(kind, check_count("device_id", number))
    )


def _save_graphs(is_on: bool) -> None:
    from mindscope.torch.graphs import save_graphs  # imports the tracers, which only saved graphs need

    directory = CONTEXT.graphs_path.absolute() if is_on else None
    if directory is not None:
        directory.mkdir(parents=True, exist_ok=True)
    CONTEXT.graphs_directory = directory
    save_graphs.follow_inductor(directory is not None)
