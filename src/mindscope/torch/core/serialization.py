# SPDX-License-Identifier: Apache-2.0
"""Checkpoints: the state of a network in a file of ``torch.save``."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any, cast

import torch
from torch import nn

from mindscope.torch.core.naming import plain_network


def save_checkpoint(
    save_obj: nn.Module | Mapping[str, Any] | list[dict[str, Any]],
    ckpt_file_name: str | PathLike[str],
    append_dict: Mapping[str, Any] | None = None,
) -> None:
    """Write a network, a state dict, or a list of ``{"name", "data"}`` to a file; one that exists is replaced whole.

    The file holds one dict, name -> tensor, beside the entries of ``append_dict``. It appears under its
    name when it is complete.

    Raises:
        TypeError: ``save_obj`` is none of these.
        OSError: the file can't be written.
    """
    write_state(state_of(save_obj) | dict(append_dict or {}), Path(ckpt_file_name))


def state_of(save_obj: Any) -> dict[str, Any]:
    """Return the entries that a checkpoint of ``save_obj`` holds; they share its memory. Raises TypeError."""
    if isinstance(save_obj, nn.Module):
        return dict(plain_network(save_obj).state_dict())
    if isinstance(save_obj, Mapping):
        return dict(cast("Mapping[str, Any]", save_obj))
    if isinstance(save_obj, list):
        return {entry["name"]: entry["data"] for entry in cast("list[dict[str, Any]]", save_obj)}
    raise TypeError(f"save_obj is {type(save_obj).__name__}, want a network, a state dict or a list of name and data")


def write_state(state: dict[str, Any], file: Path) -> None:
    """Write the entries beside ``file`` and move them there. Raises OSError."""
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_name(f"{file.name}.part")
    torch.save(state, unfinished)
    unfinished.replace(file)


def load_checkpoint(ckpt_file_name: str | PathLike[str], net: nn.Module | None = None) -> dict[str, Any]:
    """Return the entries of a checkpoint on the CPU; loads them into ``net`` too, if given.

    Raises:
        FileNotFoundError: there is no such file.
        RuntimeError: an entry has another shape than the network's.
    """
    entries = torch.load(ckpt_file_name, map_location="cpu", weights_only=True)
    if net is not None:
        load_param_into_net(net, entries)
    return entries


def load_param_into_net(net: nn.Module, parameter_dict: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Load the entries that ``net`` has into it.

    Returns:
        The names of the network that got none, and those of the checkpoint that it doesn't have.
    """
    result: Any = plain_network(net).load_state_dict(dict(parameter_dict), strict=False)
    return list(result.missing_keys), list(result.unexpected_keys)
