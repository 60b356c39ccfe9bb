# SPDX-License-Identifier: Apache-2.0
"""Base class of the collectors of all frameworks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from os import PathLike
from typing import Any

from mindscope.capture import SummaryRecord
from mindscope.capture.arguments import DEFAULT_QUEUE_TIMEOUT_S
from mindscope.collector.arguments import CollectorArguments, check_arguments
from mindscope.collector.landscape import LandscapeSettings
from mindscope.collector.session import Session
from mindscope.log_settings import configure_log


class Collector(ABC):
    """A callback's part that is the same for all frameworks: the arguments, and the recorder while it is entered.

    The first step is collected and then each that ``collect_freq`` divides; in dataset sink mode the epochs.
    """

    default_landscape: LandscapeSettings | None = None
    """Default of ``collect_landscape``; None for nothing."""
    _session: Session

    def __init__(
        self,
        summary_dir: str | PathLike[str],
        collect_freq: int = 10,
        num_process: int = 32,
        collect_specified_data: dict[str, Any] | None = None,
        keep_default_action: bool = True,
        custom_lineage_data: dict[str, Any] | None = None,
        collect_tensor_freq: int | None = None,
        max_file_size: int | None = None,
        export_options: dict[str, str | None] | None = None,
        *,
        queue_timeout: float | None = DEFAULT_QUEUE_TIMEOUT_S,
    ) -> None:
        """Check the arguments and make the directory.

        Args:
            summary_dir: directory of the run; it is made.
            collect_freq: steps (epochs in dataset sink mode) between two that are collected.
            num_process: maximum number of threads that encode; any number.
            collect_specified_data: what to collect, beside or instead of the default: ``collect_metric`` (the loss;
                metrics of evaluations while training), ``collect_graph``, ``collect_train_lineage``,
                ``collect_eval_lineage``, ``collect_input_data`` (pictures: the first column),
                ``collect_dataset_graph``: True or False; ``histogram_regular``: an expression for the names of
                parameters, None for the first five; ``collect_landscape``: a dict of landscape_size, unit,
                create_landscape, num_samples, intervals, or None; ``collect_output``: True writes what the training
                prints to ``output.log`` in the run, as ``mindscope.capture_output`` does; False without it;
                ``collect_whole_parameters``: True gathers parameters that are spread over processes (DTensor) for
                their histograms, so all processes have to collect; False without it; ``collect_system``: metrics of
                processors, memory, disk, network and GPUs every 10 seconds; ``collect_files``: command, script,
                settings, installed packages and changes since the commit of git, without secrets. Parts of the
                lineage, True or False: ``collect_seed``, ``collect_world_size``, ``collect_precision``,
                ``collect_parameter_count``, ``collect_optimizer``, ``collect_scheduler``, ``collect_dataset_size``,
                ``collect_command_line``, ``collect_environment``, ``collect_git``, ``collect_versions``.
            keep_default_action: whether what ``collect_specified_data`` doesn't name is collected too.
            custom_lineage_data: text keys to texts, numbers, bools, and dicts, whose entries get dotted names.
            collect_tensor_freq: as ``collect_freq`` for tensor operators; None for at most 20 steps.
            max_file_size: bytes after which a next file begins; below 65,536 it is that.
            export_options: ``{"tensor_format": "npy"}`` writes tensors as files too.
            queue_timeout: seconds that a step waits at most while writing is slow, before its large values are
                dropped and counted; None waits as long as it takes.

        Raises:
            TypeError, ValueError: an argument that can't be used; the text names it, its value and what is accepted.
            OSError: the directory can't be made.
        """
        super().__init__()
        configure_log()
        self._given = (
            summary_dir, collect_freq, num_process, collect_specified_data, keep_default_action, custom_lineage_data,
            collect_tensor_freq, max_file_size, export_options,
        )  # fmt: skip
        self._queue_timeout = queue_timeout
        self._set_up(
            check_arguments(*self._given, default_landscape=self.default_landscape, queue_timeout=queue_timeout)
        )

    @abstractmethod
    def _set_up(self, arguments: CollectorArguments) -> None:
        """Begin with a new session."""

    @property
    def record(self) -> SummaryRecord:
        """The recorder, to add values of your own to a step. Raises RecorderClosedError while not entered."""
        return self._session.record
