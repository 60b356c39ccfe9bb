# SPDX-License-Identifier: Apache-2.0
"""``Dump``: writes the operators of chosen iterations of a training."""

from __future__ import annotations

import logging
import os
import weakref
from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from functools import lru_cache
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any

from torch import nn

from mindscope.debug.dump.settings import DumpSettings, dump_settings
from mindscope.debug.dump.settings import read_dump_config as read_config
from mindscope.log_settings import configure_log
from mindscope.torch.core.arguments import check_count
from mindscope.torch.dump.session import DumpSession, device_of

_log = logging.getLogger(__name__)
VARIABLE = "MINDSPORE_DUMP_CONFIG"
_running: list[Dump] = []  # those that were entered, the innermost last


class Dump:
    """Writes inputs and outputs of operators, as MindSpore's dump does: in ``with`` around your own loop.

    Call ``step`` after each iteration. ``Model``, and the ``MindscopeCallback`` of Lightning and Transformers, do it
    themselves. Without a configuration it does nothing, so a script can keep it. Losses stay the same, bit by bit; no
    failure to write reaches the training.

    Args:
        network: its modules become scopes of the names; None for names without modules.
        config: a JSON file as ``MINDSPORE_DUMP_CONFIG`` names it, or its content; None for that variable.
        path: the directory of the dump, in place of that in the configuration.
        disk_limit_mb: in place of that in the configuration.

    Raises:
        SettingsError: the configuration can't be read, lacks an entry or has an invalid one.
        TypeError, ValueError: another argument can't be used.
    """

    def __init__(
        self,
        network: nn.Module | None = None,
        config: str | PathLike[str] | Mapping[str, Any] | None = None,
        *,
        path: str | PathLike[str] | None = None,
        disk_limit_mb: int | None = None,
    ) -> None:
        configure_log()
        if network is not None and not isinstance(network, nn.Module):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"network is {type(network).__name__}, want a torch.nn.Module")
        self._network = network
        self._settings = _settings(config, path)
        if self._settings is not None and disk_limit_mb is not None:
            limit = check_count("disk_limit_mb", disk_limit_mb, 1) << 20
            self._settings = replace(self._settings, disk_limit_bytes=limit)
        self._iteration = 0  # how many are over
        self._session: DumpSession | None = None

    @property
    def directory(self) -> Path | None:
        """Directory to which this process writes; None if it does not dump."""
        return None if self._session is None else self._session.writer.directory

    def start(self) -> None:
        """Start with the first iteration, if it does not run."""
        if self._session is None:
            self.begin_loop(self._network)
            self.begin_iteration()

    def step(self) -> None:
        """End an iteration of your own loop."""
        self.end_iteration()
        self.begin_iteration()

    def stop(self) -> None:
        """End, and write what is left."""
        session, self._session = self._session, None
        if self in _running:
            _running.remove(self)
        if session is not None:
            session.stop(self._number)

    def __enter__(self) -> Dump:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def begin_loop(self, network: nn.Module | None) -> None:
        """Begin a training that calls ``begin_iteration`` and ``end_iteration``."""
        self.stop()
        self._network = network
        if self._settings is not None and _is_device_chosen(self._settings, network):
            self._session = DumpSession(self._settings, network)
            _running.append(self)
            weakref.finalize(self, self._session.writer.close)

    def follow(self, network: nn.Module) -> None:
        """Let a loop take over after ``start``; its network counts if none was given."""
        if self._network is None:
            self.begin_loop(network)
        elif self._session is not None:
            self._session.discard()

    def begin_iteration(self) -> None:
        """Begin an iteration, or continue it after ``pause``."""
        if self._session is not None:
            self._session.begin(self._number)

    def pause(self) -> None:
        """Begin a pause: later operators belong to no iteration."""
        if self._session is not None:
            self._session.pause()

    def end_iteration(self) -> None:
        """End an iteration."""
        if self._session is not None:
            self._session.end(self._number)
        self._iteration += 1

    @contextmanager
    def iteration(self) -> Generator[None]:
        """Dump the operators inside a ``with`` block as an iteration."""
        self.begin_iteration()
        try:
            yield
        finally:
            self.end_iteration()

    @property
    def _number(self) -> int:
        first = 0 if self._settings is None else self._settings.initial_iteration
        return first + self._iteration


@contextmanager
def training_dump(network: nn.Module) -> Generator[Callable[[], AbstractContextManager[Any]]]:
    """Yield a function whose context manager a loop enters around each iteration.

    The dump is the one that runs, or that of the environment.

    Raises:
        SettingsError: the configuration of the environment can't be used.
    """
    if _running:
        _running[-1].follow(network)
        yield _running[-1].iteration
        return
    dump = environment_dump()
    if dump is None:
        yield nullcontext
        return
    dump.begin_loop(network)
    try:
        yield dump.iteration
    finally:
        dump.stop()


def environment_dump() -> Dump | None:
    """Return the dump of ``MINDSPORE_DUMP_CONFIG``, one for the process; None if the variable is not set."""
    return _dump_of(os.environ[VARIABLE]) if os.environ.get(VARIABLE) else None


@lru_cache(maxsize=1)
def _dump_of(file: str) -> Dump:
    return Dump(config=file)


def _settings(
    config: str | PathLike[str] | Mapping[str, Any] | None, path: str | PathLike[str] | None
) -> DumpSettings | None:
    config = config if config is not None else os.environ.get(VARIABLE) or None
    if config is None:
        return None
    if isinstance(config, Mapping):
        return dump_settings(dict(config), os.environ, path)
    return read_config(config, os.environ, path)


def _is_device_chosen(settings: DumpSettings, network: nn.Module | None) -> bool:
    device = device_of(network)
    number = device.index or 0
    if device.type == "cpu" or number in settings.devices:
        return True
    _log.warning("device %s is not in support_device of the dump, so this process dumps nothing", device)
    return False
