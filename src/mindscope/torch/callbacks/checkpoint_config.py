# SPDX-License-Identifier: Apache-2.0
"""Settings of checkpoints: the intervals at which they are saved, and the number of them that stays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from torch import nn

from mindscope.torch.core.arguments import check_flag, check_optional_count, check_text

APPENDED = ("epoch_num", "step_num", "learning_rate")


class CheckpointConfig:
    """The content, the intervals and the number of the checkpoints of a ``ModelCheckpoint``.

    Args:
        save_checkpoint_steps: steps between two checkpoints; overrides the seconds. 0 or None: not by steps.
        save_checkpoint_seconds: seconds between two checkpoints. 0 or None: not by time.
        keep_checkpoint_max: number of newest checkpoints that stay; overrides the minutes. 0 or None: not by number.
        keep_checkpoint_per_n_minutes: one checkpoint of each such span stays. Without both, the newest stays.
        integrated_save: taken for scripts that say it; a network here is whole in each process.
        async_save: write on a thread; the training only waits for the copy.
        saved_network: the network to save instead of the trained one.
        append_info: extra entries beside the weights: ``epoch_num``, ``step_num``, ``learning_rate``, or dicts of name
            to number, text or tensor.
        enc_key: encryption is not offered; None.
        enc_mode: with ``enc_key``.
        exception_save: save where the training fails, as ``..._breakpoint.ckpt``.
        crc_check: taken for scripts that say it; the files of torch have checksums anyway.
        format: the ending of the file names.

    Raises:
        TypeError, ValueError: arguments that can't be used; nothing says when to save or what to keep.
    """

    def __init__(
        self,
        save_checkpoint_steps: int | None = 1,
        save_checkpoint_seconds: int | None = 0,
        keep_checkpoint_max: int | None = 5,
        keep_checkpoint_per_n_minutes: int | None = 0,
        integrated_save: bool = True,
        async_save: bool | str = False,
        saved_network: nn.Module | None = None,
        append_info: list[str | Mapping[str, Any]] | None = None,
        enc_key: bytes | None = None,
        enc_mode: str = "AES-GCM",
        exception_save: bool = False,
        crc_check: bool = False,
        format: str = "ckpt",
    ) -> None:
        self.save_checkpoint_steps = check_optional_count("save_checkpoint_steps", save_checkpoint_steps)
        self.save_checkpoint_seconds = check_optional_count("save_checkpoint_seconds", save_checkpoint_seconds)
        self.keep_checkpoint_max = check_optional_count("keep_checkpoint_max", keep_checkpoint_max)
        self.keep_checkpoint_per_n_minutes = check_optional_count(
            "keep_checkpoint_per_n_minutes", keep_checkpoint_per_n_minutes
        )
        self._settle_precedence()
        self.integrated_save = check_flag("integrated_save", integrated_save)
        self.async_save = async_save in ("thread", "process") or check_flag("async_save", async_save)
        if saved_network is not None and not isinstance(saved_network, nn.Module):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"saved_network is {type(saved_network).__name__}, want a network or None")
        self.saved_network = saved_network
        self.append_info = _check_append_info(append_info)
        if enc_key is not None:
            raise ValueError(f"enc_key is {type(enc_key).__name__}, want None: checkpoints here are not encrypted")
        self.exception_save = check_flag("exception_save", exception_save)
        self.crc_check = check_flag("crc_check", crc_check)
        self.format = check_text("format", format)

    @property
    def is_saving(self) -> bool:
        """Whether anything says when to save."""
        return bool(self.save_checkpoint_steps or self.save_checkpoint_seconds)

    def appended(self, known: Mapping[str, Any]) -> dict[str, Any]:
        """Return the extra entries beside the weights, with the current numbers of ``known``."""
        entries: dict[str, Any] = {}
        for each in self.append_info:
            entries |= {each: known[each]} if isinstance(each, str) and each in known else {}
            entries |= {} if isinstance(each, str) else dict(each)
        return entries

    def _settle_precedence(self) -> None:
        given = self.save_checkpoint_steps, self.save_checkpoint_seconds
        if not any((*given, self.keep_checkpoint_max, self.keep_checkpoint_per_n_minutes)):
            raise ValueError(
                "save_checkpoint_steps, save_checkpoint_seconds, keep_checkpoint_max and keep_checkpoint_per_n_minutes "
                "are all None or 0, want at least one of them above 0"
            )
        if self.save_checkpoint_steps:
            self.save_checkpoint_seconds = None
        if self.keep_checkpoint_max:
            self.keep_checkpoint_per_n_minutes = None
        elif not self.keep_checkpoint_per_n_minutes:
            self.keep_checkpoint_max = 1


def _check_append_info(info: Any) -> list[str | Mapping[str, Any]]:
    if info is None:
        return []
    if not isinstance(info, list):
        raise TypeError(f"append_info is {type(info).__name__}, want a list of {', '.join(APPENDED)} or dicts")
    for each in cast("list[Any]", info):
        if not isinstance(each, Mapping) and each not in APPENDED:
            raise ValueError(f"append_info holds {each!r}, want {', '.join(APPENDED)} or a dict")
    return cast("list[str | Mapping[str, Any]]", info)
