# SPDX-License-Identifier: Apache-2.0
"""Summary operators in a network, recorded by a collector.

python examples/mindspore_summary_2.py --summary-dir summary_dir/summary_02
"""

from __future__ import annotations

from typing import Any

from mindspore import ops
from mindspore.train import LossMonitor, TimeMonitor
from mindspore_lenet import LeNet5, arguments, create_dataset, make_model

from mindscope.mindspore import SummaryCollector


class Recorded(LeNet5):
    """LeNet-5 that records its input and its first convolution."""

    def __init__(self, num_classes: int = 10) -> None:
        super().__init__(num_classes)
        # Init TensorSummary
        self.tensor_summary = ops.TensorSummary()
        # Init ImageSummary
        self.image_summary = ops.ImageSummary()

    def construct(self, x: Any) -> Any:
        # Record image by Summary operator
        self.image_summary("Image", x)
        x = self.conv1(x)
        # Record tensor by Summary operator
        self.tensor_summary("Tensor", x)
        x = self.max_pool2d(self.relu(x))
        x = self.max_pool2d(self.relu(self.conv2(x)))
        x = self.relu(self.fc1(self.flatten(x)))
        return self.fc3(self.relu(self.fc2(x)))


def train(summary_dir: str, count: int) -> None:
    """Train one epoch over so many samples."""
    ds_train = create_dataset(count)
    time_cb = TimeMonitor(data_size=ds_train.get_dataset_size())
    model = make_model(Recorded(10))

    # Init a SummaryCollector callback instance, and use it in model.train or model.eval
    specified = {"collect_metric": True, "histogram_regular": "^conv1.*|^conv2.*", "collect_graph": True,
                 "collect_dataset_graph": True}  # fmt: skip

    summary_collector = SummaryCollector(summary_dir=summary_dir, collect_specified_data=specified,
                                         collect_freq=1, keep_default_action=False,
                                         collect_tensor_freq=200)  # fmt: skip

    print("============== Starting Training ==============")
    model.train(epoch=1, train_dataset=ds_train, callbacks=[time_cb, LossMonitor(), summary_collector],
                dataset_sink_mode=False)  # fmt: skip


if __name__ == "__main__":
    given = arguments("./summary_dir/summary_02", __doc__)
    train(given.summary_dir, given.count)
