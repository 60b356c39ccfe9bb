# SPDX-License-Identifier: Apache-2.0
"""The state that callbacks share with the loop that calls them."""

from __future__ import annotations

from typing import Any


class CallbackParams(dict[str, Any]):
    """The state of a training or evaluation, by attribute and by key; callbacks may change and add entries.

    ``mode`` is ``train`` or ``eval``. Both have ``network``, ``list_callback``, ``batch_num`` (steps of an epoch; None
    where the data set doesn't say), ``cur_step_num`` (counts from 1 over all epochs), ``net_outputs``, ``loss_fn``,
    ``optimizer``, ``parallel_mode``, ``device_number`` and ``dataset_sink_mode``. A training adds ``epoch_num``,
    ``cur_epoch_num`` (from 1), ``train_network``, ``train_dataset`` and ``train_dataset_element``; an evaluation
    ``eval_network``, ``valid_dataset``, ``eval_dataset_element`` and at its end ``metrics`` and ``eval_results``.
    """

    def __getattr__(self, name: str) -> Any:
        """Return the entry ``name``. Raises AttributeError, which says what there is."""
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"{name!r} is not among what the loop offers: {', '.join(sorted(self))}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        """Set the entry ``name``."""
        self[name] = value

    def __delattr__(self, name: str) -> None:
        """Remove the entry ``name``."""
        try:
            del self[name]
        except KeyError:
            raise AttributeError(name) from None


class RunContext:
    """The argument of each callback: the state of the loop, and a way to end it.

    Args:
        original_args: the state, shared with all callbacks of the loop.

    Raises:
        TypeError: the state is no dict.
    """

    def __init__(self, original_args: dict[str, Any]) -> None:
        if not isinstance(original_args, dict):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"original_args is {type(original_args).__name__}, want a dict")
        self._original_args = original_args
        self._is_stop_requested = False

    def original_args(self) -> Any:
        """Return the state itself, no copy: what is written into it, the loop and later callbacks see."""
        return self._original_args

    def request_stop(self) -> None:
        """Have the loop end after the current step, with its ``epoch_end`` and ``end``."""
        self._is_stop_requested = True

    def get_stop_requested(self) -> bool:
        """Return whether a callback asked the loop to end."""
        return self._is_stop_requested
