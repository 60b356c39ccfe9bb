# SPDX-License-Identifier: Apache-2.0
"""A callback of one's own that records what it likes.

python examples/mindspore_summary_3.py --summary-dir summary_dir/summary_03
"""

from __future__ import annotations

from typing import Any

from mindspore.train import Callback, LossMonitor, TimeMonitor
from mindspore_lenet import LeNet5, arguments, create_dataset, make_model

from mindscope.mindspore import SummaryRecord


class MyCallback(Callback):
    """Records the input and the loss of each step."""

    def __init__(self, summary_dir: str) -> None:
        self._summary_dir = summary_dir

    def __enter__(self) -> MyCallback:
        # init you summary record in here, when the train script run, it will be inited before training
        self.summary_record = SummaryRecord(self._summary_dir)
        return self

    def __exit__(self, *exc_args: object) -> None:
        self.summary_record.close()

    def step_end(self, run_context: Any) -> None:
        cb_params = run_context.original_args()

        # create a confusion matric image, and record it to summary file
        self.summary_record.add_value("image", "image0", cb_params.train_dataset_element[0])
        self.summary_record.add_value("scalar", "loss", cb_params.net_outputs)
        self.summary_record.record(cb_params.cur_step_num)


def train(summary_dir: str, count: int) -> None:
    """Train one epoch over so many samples."""
    ds_train = create_dataset(count)
    time_cb = TimeMonitor(data_size=ds_train.get_dataset_size())
    model = make_model(LeNet5(10))

    # Init a specified callback instance, and use it in model.train or model.eval
    specified_callback = MyCallback(summary_dir=summary_dir)

    print("============== Starting Training ==============")
    model.train(epoch=1, train_dataset=ds_train, callbacks=[time_cb, LossMonitor(), specified_callback],
                dataset_sink_mode=False)  # fmt: skip


if __name__ == "__main__":
    given = arguments("./summary_dir/summary_03", __doc__)
    train(given.summary_dir, given.count)
