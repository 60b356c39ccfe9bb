# SPDX-License-Identifier: Apache-2.0
"""Gradients, recorded from inside the optimizer.

python examples/mindspore_summary_gradients.py --summary-dir summary_dir/summary_gradients
"""

from __future__ import annotations

from typing import Any

from mindspore import nn, ops
from mindspore.train import LossMonitor, TimeMonitor
from mindspore_lenet import LeNet5, arguments, create_dataset, make_model

from mindscope.mindspore import SummaryCollector


class MyOptimizer(nn.Momentum):
    """Momentum that records the gradients it is given."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._original_construct = super().construct
        self.histogram_summary = ops.HistogramSummary()
        self.gradient_names = [param.name + ".gradient" for param in self.parameters]

    def construct(self, grads: Any) -> Any:
        # Record gradient.
        size = len(self.gradient_names)
        for i in range(size):
            self.histogram_summary(self.gradient_names[i], grads[i])
        return self._original_construct(grads)


def train(summary_dir: str, count: int) -> None:
    """Train one epoch over so many samples."""
    ds_train = create_dataset(count)
    network = LeNet5(10)
    net_opt = MyOptimizer(network.trainable_params(), learning_rate=0.002, momentum=0.9)
    time_cb = TimeMonitor(data_size=ds_train.get_dataset_size())
    model = make_model(network, net_opt)

    # Init a SummaryCollector callback instance, and use it in model.train or model.eval
    summary_collector = SummaryCollector(summary_dir=summary_dir,
                                         collect_freq=200, keep_default_action=False,
                                         collect_tensor_freq=200)  # fmt: skip

    print("============== Starting Training ==============")
    model.train(epoch=1, train_dataset=ds_train, callbacks=[time_cb, LossMonitor(), summary_collector],
                dataset_sink_mode=False)  # fmt: skip


if __name__ == "__main__":
    given = arguments("./summary_dir/summary_gradients", __doc__)
    train(given.summary_dir, given.count)
