# SPDX-License-Identifier: Apache-2.0
"""Saving the network while it is trained."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any

import torch

from mindscope.torch.callbacks.callback import Callback
from mindscope.torch.callbacks.checkpoint_config import CheckpointConfig
from mindscope.torch.callbacks.checkpoint_retention import CheckpointRetention
from mindscope.torch.callbacks.learning_rate import learning_rate_of
from mindscope.torch.core.arguments import check_text
from mindscope.torch.core.loss import step_in_epoch
from mindscope.torch.core.run_context import RunContext
from mindscope.torch.core.serialization import state_of, write_state

Name = str | Callable[[Any], str]


class ModelCheckpoint(Callback):
    """Saves the network as ``PREFIX-EPOCH_STEP.ckpt``, by steps or seconds, and after the last step.

    Where the directory holds checkpoints of that prefix from before, the new ones begin with ``PREFIX_1``.

    Args:
        prefix: begins the file names, or a function of the loop's state that gives the whole name.
        directory: is made; the working directory if None. Or a function of the loop's state.
        config: how often to save and how many to keep.

    Raises:
        TypeError, ValueError: arguments that can't be used.
    """

    def __init__(
        self,
        prefix: Name = "CKP",
        directory: str | PathLike[str] | Callable[[Any], str] | None = None,
        config: CheckpointConfig | None = None,
    ) -> None:
        if config is not None and not isinstance(config, CheckpointConfig):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"config is {type(config).__name__}, want a CheckpointConfig or None")
        if not callable(prefix) and "/" in check_text("prefix", prefix):
            raise ValueError(f"prefix is {prefix!r}, want one without '/'; give the directory by itself")
        self._prefix, self._directory = prefix, directory
        self._config = config or CheckpointConfig()
        self._stem = prefix if isinstance(prefix, str) else ""
        self._retention = CheckpointRetention(
            self._config.keep_checkpoint_max, self._config.keep_checkpoint_per_n_minutes
        )
        self._latest = ""
        self._saved_step = 0
        self._saved_at_s = time.monotonic()
        self._writing: Future[None] | None = None
        self._thread: ThreadPoolExecutor | None = None
        self._params: Any = None

    @property
    def latest_ckpt_file_name(self) -> str:
        """The path of the newest checkpoint; empty before there is one."""
        return self._latest

    def on_train_begin(self, run_context: RunContext) -> None:
        """Find a prefix that is free."""
        self._params = run_context.original_args()
        self._saved_step, self._saved_at_s = 0, time.monotonic()
        if isinstance(self._prefix, str):
            directory = self._directory_of(self._params)
            self._stem, number = self._prefix, 0
            while any(directory.glob(f"{_escape(self._stem)}-*_*.{self._config.format}")):
                number += 1
                self._stem = f"{self._prefix}_{number}"

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Save if it is time to."""
        params = run_context.original_args()
        if self._is_due(params["cur_step_num"]):
            self._save(params)

    def on_train_end(self, run_context: RunContext) -> None:
        """Save the last step, if it was not."""
        params = run_context.original_args()
        if params["cur_step_num"] != self._saved_step and self._config.is_saving:
            self._save(params)
        self._wait()

    def on_eval_begin(self, run_context: RunContext) -> None:
        """Do nothing: evaluations are not saved."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Finish writing; with ``exception_save``, save where the training failed."""
        params, self._params = self._params, None
        if error is not None and params is not None and self._config.exception_save:
            self._save(params, "_breakpoint")
        self._wait()
        if self._thread is not None:
            self._thread.shutdown()
            self._thread = None

    def _is_due(self, step: int) -> bool:
        if self._config.save_checkpoint_steps:
            return step >= self._saved_step + self._config.save_checkpoint_steps
        seconds = self._config.save_checkpoint_seconds
        return bool(seconds) and time.monotonic() - self._saved_at_s > seconds

    def _directory_of(self, params: Any) -> Path:
        named = self._directory(params) if callable(self._directory) else self._directory
        return Path(named or ".").absolute()

    def _file(self, params: Any, suffix: str) -> Path:
        name = f"{self._stem}-{params['cur_epoch_num']}_{step_in_epoch(params)}"
        if callable(self._prefix):
            name = self._prefix(params)
            if not isinstance(name, str) or not name or "/" in name:  # pyright: ignore[reportUnnecessaryIsInstance]
                raise ValueError(f"prefix gave {name!r}, want a file name without '/'")
        return self._directory_of(params) / f"{name}{suffix}.{self._config.format}"

    def _save(self, params: Any, suffix: str = "") -> None:
        self._wait()
        file = self._file(params, suffix)
        network = self._config.saved_network or params["train_network"]
        state = state_of(network) | self._appended(params)
        if self._config.async_save:
            state = {name: _copy(value) for name, value in state.items()}
            self._thread = self._thread or ThreadPoolExecutor(1, "mindscope-checkpoint")
            self._writing = self._thread.submit(write_state, state, file)
        else:
            write_state(state, file)
        self._saved_step, self._saved_at_s = params["cur_step_num"], time.monotonic()
        self._latest = str(file)
        params["latest_ckpt_file"], params["last_save_ckpt_step"] = self._latest, self._saved_step
        self._retention.keep(file, self._saved_at_s)

    def _appended(self, params: Any) -> dict[str, Any]:
        known = {"epoch_num": params["cur_epoch_num"], "step_num": params["cur_step_num"]}
        if params.get("optimizer") is not None:
            known["learning_rate"] = learning_rate_of(params["optimizer"])
        return self._config.appended(known)

    def _wait(self) -> None:
        writing, self._writing = self._writing, None
        if writing is not None:
            writing.result()


def _copy(value: Any) -> Any:
    return value.detach().to("cpu", copy=True) if isinstance(value, torch.Tensor) else value


def _escape(name: str) -> str:
    return "".join(f"[{sign}]" if sign in "*?[" else sign for sign in name)
