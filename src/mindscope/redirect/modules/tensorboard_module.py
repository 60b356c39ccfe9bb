# SPDX-License-Identifier: Apache-2.0
"""The names of ``torch.utils.tensorboard`` and ``tensorboardX``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, cast

from mindscope.capture.hparams import hparams_values
from mindscope.formats.tensorboard import summary_event
from mindscope.redirect import notes
from mindscope.redirect.hard_exit import flush_before_hard_exit
from mindscope.redirect.modules.names import module_names
from mindscope.sweep.trial_environment import trial_environment
from mindscope.tensorboard import SummaryWriter as Writer
from mindscope.tensorboard.directories import default_directory
from mindscope.tracking.current import run_directory
from mindscope.types import Message


class SummaryWriter(Writer):
    """The writer of mindscope; its first value tells ``mindscope run`` its directory."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        given = (*arguments[:1], options.get("log_dir"), options.get("logdir"))
        if trial_environment() is not None:
            wanted = next((str(one) for one in given if one), None)
            name = Path(wanted).name if wanted else _default_name(arguments, options)
            arguments = (run_directory(Path(), None, name), *arguments[1:])
            options = {key: value for key, value in options.items() if key not in ("log_dir", "logdir")}
        elif not any(given):
            base = os.environ.get(notes.DIRECTORY) or "runs"
            arguments = (Path(base) / _default_name(arguments, options), *arguments[1:])
            options.pop("log_dir", None)
        try:
            super().__init__(*arguments, **options)
        except OSError as error:
            notes.note_refused_run("SummaryWriter", str(error))
            raise
        if options.get("write_to_disk", True):
            notes.note_run(self.log_dir, "SummaryWriter")
            flush_before_hard_exit()
        else:
            notes.note_disabled_run("SummaryWriter")

    def _get_file_writer(self) -> SummaryWriter:
        """Return this writer: trainers add summaries by it."""
        return self

    file_writer = property(_get_file_writer)
    all_writers = property(lambda self: {self.log_dir: self})

    def add_summary(self, summary: Any, global_step: Any = None, walltime: Any = None) -> None:
        """Record what ``hparams`` made, or a Summary of protobuf."""
        step, time_s = self._stream.when(global_step, walltime)
        if isinstance(summary, dict):
            self._add_message(cast(Message, summary), step, time_s)
        else:
            self._guard("summary", "", lambda: self._stream.add_event(
                summary_event(time_s, step, summary.SerializeToString()), step
            ))  # fmt: skip


def _default_name(arguments: tuple[Any, ...], options: dict[str, Any]) -> str:
    comment = arguments[1] if len(arguments) > 1 else options.get("comment", "")
    return Path(default_directory(str(comment))).name


def hparams(hparam_dict: Any = None, metric_dict: Any = None, hparam_domain_discrete: Any = None) -> list[Message]:
    """Return the three summaries of hyperparameters, for ``add_summary``."""
    return hparams_values(hparam_dict or {}, metric_dict or {}, hparam_domain_discrete)


def names_of(module: str) -> dict[str, Any]:
    """Return the names of a module of a writer."""
    return module_names(module, {"SummaryWriter": SummaryWriter, "hparams": hparams}, {}, ("writer", "summary"))
