# SPDX-License-Identifier: Apache-2.0
"""A collector records a training and its evaluation by itself.

python examples/mindspore_summary_1.py --summary-dir summary_dir/summary_01
"""

from __future__ import annotations

from mindspore.train import LossMonitor, TimeMonitor
from mindspore_lenet import LeNet5, arguments, create_dataset, make_model

from mindscope.mindspore import SummaryCollector


def train(summary_dir: str, count: int) -> None:
    """Train one epoch over so many samples, and evaluate."""
    ds_train = create_dataset(count)
    time_cb = TimeMonitor(data_size=ds_train.get_dataset_size())
    model = make_model(LeNet5(10))

    # Init a SummaryCollector callback instance, and use it in model.train or model.eval
    specified = {"collect_metric": True, "histogram_regular": "^conv1.*|^conv2.*", "collect_graph": True,
                 "collect_dataset_graph": True}  # fmt: skip

    summary_collector = SummaryCollector(summary_dir=summary_dir, collect_specified_data=specified,
                                         collect_freq=1, keep_default_action=False,
                                         collect_tensor_freq=200)  # fmt: skip

    print("============== Starting Training ==============")
    model.train(epoch=1, train_dataset=ds_train, callbacks=[time_cb, LossMonitor(), summary_collector],
                dataset_sink_mode=False)  # fmt: skip

    print("============== Starting Testing ==============")
    print(model.eval(create_dataset(count), callbacks=[summary_collector]))


if __name__ == "__main__":
    given = arguments("./summary_dir/summary_01", __doc__)
    train(given.summary_dir, given.count)
