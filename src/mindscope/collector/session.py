# SPDX-License-Identifier: Apache-2.0
"""A collector while it is entered: its recorder, and the training that runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mindscope.capture import SummaryRecord
from mindscope.capture.files import story
from mindscope.capture.latest_step import LATEST
from mindscope.collector.arguments import CollectorArguments
from mindscope.collector.framework import Framework
from mindscope.collector.schedule import Schedule
from mindscope.collector.step_collection import HandOver, StepCollection, unchanged
from mindscope.errors import RecorderClosedError
from mindscope.output.capture import OutputCapture, capture_output
from mindscope.system import SAMPLER


class Session:
    """The actions at each event of a loop, for any framework.

    Args:
        arguments: of the collector.
        framework: that trains.
        hand_over: the values of a step as the recorder takes them without waiting for a device.
    """

    def __init__(self, arguments: CollectorArguments, framework: Framework, hand_over: HandOver = unchanged) -> None:
        self._arguments = arguments
        self._framework = framework
        self._collecting = StepCollection(arguments, framework, hand_over)
        self._record: SummaryRecord | None = None
        self._output: OutputCapture | None = None
        self.depth = 0
        """Number of active ``enter`` calls: of a loop, and of its user around it."""
        self._schedule: Schedule | None = None
        self.training: Any = None
        """The state of the training that runs, None outside of one."""
        self._step = 0  # the last that came to its end
        self._quiet_until = 0  # nothing is due at steps between the last and this one; 0 where epochs are counted

    @property
    def record(self) -> SummaryRecord:
        """The recorder. Raises RecorderClosedError while not entered."""
        if self._record is None:
            raise RecorderClosedError("collector is not entered; use 'with collector:' or put it into callbacks")
        return self._record

    @property
    def last_step(self) -> int:
        """The number of the last step that came to its end."""
        return self._step

    def enter(self) -> bool:
        """Begin, and return whether it was not entered before."""
        if self.depth == 0:
            self._record = self._open()
            self._capture_output()
            self._sample_system(self._record)
            if self._arguments.options.collect_files and story.is_wanted():
                story.record_story(self._record.files)
        self.depth += 1
        return self.depth == 1

    def _open(self) -> SummaryRecord:
        arguments = self._arguments
        return SummaryRecord(
            arguments.summary_dir, num_process=arguments.num_process, max_file_size=arguments.max_file_size,
            export_options=arguments.export_options, queue_timeout=arguments.queue_timeout,
        )  # fmt: skip

    def _capture_output(self) -> None:
        if self._arguments.options.collect_output:
            self._output = capture_output(self._arguments.summary_dir)
            self._output.start()

    def _sample_system(self, record: SummaryRecord) -> None:
        if self._arguments.options.collect_system:
            SAMPLER.add(record.record_beside, self._arguments.summary_dir)

    def leave(self, error: BaseException | None = None) -> SummaryRecord | None:
        """End, perhaps with an error of the training.

        Returns the recorder, which is then the caller's to close, when it was left as often as entered.
        """
        self.depth -= 1
        if self.depth > 0:
            return None
        record, self._record, self.training = self._record, None, None
        if record is not None:
            SAMPLER.remove(record.record_beside)
        if self._output is not None:
            self._output.stop(error)
            self._output = None
        self._collecting.close()
        return record

    def begin(self, params: Any, kinds: type[Any] | tuple[type[Any], ...]) -> None:
        """Begin a training or an evaluation, which may be inside of a training.

        Raises ValueError where more than one of the callbacks is of ``kinds``, the collectors of this framework.
        """
        _check_alone(params["list_callback"], kinds)
        self.record.set_mode(params["mode"])
        if params["mode"] == "train":
            self._framework.discard_values()
            self.begin_training(params)

    def begin_training(self, params: Any) -> None:
        """Begin a training: later steps count as those of this training."""
        self.training = params
        epochs, batches = params.get("epoch_num"), params.get("batch_num")
        total = epochs if params["dataset_sink_mode"] else epochs * batches if epochs and batches else None
        self._schedule = Schedule(self._arguments.collect_freq, self._arguments.collect_tensor_freq, total)
        self._quiet_until = 0
        self._collecting.begin_training(params)

    def collect(self, params: Any) -> None:
        """Record what is due at the end of a step, or of an epoch in dataset sink mode."""
        step = params["cur_step_num"]
        if self._step < step < self._quiet_until:  # most steps: in as little Python as can be
            self._step = LATEST.step = step
            self._framework.discard_values()
            return
        self._step = LATEST.step = int(step)
        if self._schedule is None:
            return
        is_sink = params["dataset_sink_mode"]
        number = int(params["cur_epoch_num"]) if is_sink else self._step
        self._collecting.step(self.record, params, self._schedule.next(number))
        self._quiet_until = 0 if is_sink else self._schedule.next_due(number)

    def log(self, values: Mapping[str, Any], step: int) -> None:
        """Record numbers that a script logs."""
        self._collecting.log(self.record, values, step)

    def keep_weights(self, unit: str, params: Any) -> None:
        """Keep the weights for a landscape, if they are due after this step or epoch."""
        if self._arguments.options.landscape is not None:
            self._collecting.keep_weights(unit, int(params[f"cur_{unit}_num"]), params)

    def end_epoch(self, params: Any) -> None:
        """End an epoch: keep the weights for a landscape, if they are due; record what the lineage has new."""
        self.keep_weights("epoch", params)
        self._collecting.end_epoch(self.record, params)

    def end(self, params: Any) -> None:
        """End a training or an evaluation: record its lineage."""
        if params["mode"] == "train":
            self.end_training(params)
            self.training = None
            return
        if self.training is None:
            self.end_evaluation(params, None)
            return
        self.end_evaluation(params, int(self.training["cur_step_num"]))
        self.record.set_mode("train")

    def end_training(self, params: Any) -> None:
        """Record the lineage of a training that is over."""
        self._collecting.end_training(self.record, params)

    def end_evaluation(self, params: Any, step: int | None) -> None:
        """Record what an evaluation gave; with a ``step`` of the training around it also as curves."""
        self._collecting.end_evaluation(self.record, params, step)


def _check_alone(callbacks: list[Any], kinds: type[Any] | tuple[type[Any], ...]) -> None:
    count = sum(isinstance(callback, kinds) for callback in callbacks)
    if count > 1:
        raise ValueError(f"callbacks hold {count} SummaryCollectors, want one; one records all that is collected")
