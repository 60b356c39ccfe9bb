# SPDX-License-Identifier: Apache-2.0
"""Several processes, each with a directory of its own, which the viewer shows as the ranks of one run.

msrun --worker_num=2 --local_worker_num=2 --join=True examples/mindspore_distributed.py --summary-dir runs/summary_dir
"""

from __future__ import annotations

import mindspore as ms
from mindspore.communication import get_rank, init
from mindspore_lenet import LeNet5, arguments, create_dataset, make_model

from mindscope.mindspore import SummaryCollector


def train(directory: str, count: int) -> None:
    """Train one epoch over so many samples, and evaluate."""
    ms.set_device("CPU")
    init()
    ds_train, ds_eval = create_dataset(count), create_dataset(count)
    model = make_model(LeNet5(10))

    # Init a SummaryCollector callback instance, and use it in model.train or model.eval
    summary_dir = directory + str(get_rank())
    summary_collector = SummaryCollector(summary_dir=summary_dir, collect_freq=1)

    # Note: dataset_sink_mode should be set to False, else you should modify collect freq in SummaryCollector
    model.train(epoch=1, train_dataset=ds_train, callbacks=[summary_collector], dataset_sink_mode=False)

    model.eval(ds_eval, callbacks=[summary_collector])


if __name__ == "__main__":
    given = arguments("./summary_dir", __doc__)
    train(given.summary_dir, given.count)
