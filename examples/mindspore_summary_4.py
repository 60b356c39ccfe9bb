# SPDX-License-Identifier: Apache-2.0
"""A training loop of one's own.

python examples/mindspore_summary_4.py --summary-dir summary_dir/summary_04
"""

from __future__ import annotations

import mindspore as ms
from mindspore import nn
from mindspore_lenet import LeNet5, arguments, create_dataset

from mindscope.mindspore import SummaryRecord


def train(summary_dir: str, count: int, epochs: int = 2, summary_collect_frequency: int = 2) -> None:
    """Train over so many samples."""
    ms.set_context(mode=ms.GRAPH_MODE)
    ds_train = create_dataset(count)
    network = LeNet5(10)
    net_loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    net_opt = nn.Momentum(network.trainable_params(), 0.01, 0.9)
    train_net = nn.TrainOneStepCell(nn.WithLossCell(network, net_loss), net_opt).set_train()

    # Note1: An instance of the network should be passed to SummaryRecord if you want to record
    # computational graph.
    with SummaryRecord(summary_dir, network=train_net) as summary_record:
        for epoch in range(epochs):
            step = 1
            for inputs in ds_train.create_tuple_iterator():
                output = train_net(*inputs)
                current_step = epoch * ds_train.get_dataset_size() + step
                print(f"step: {current_step}, losses: {output.asnumpy()}")

                # Note2: The output should be a scalar, and use 'add_value' method to record loss.
                # Note3: You must use the 'record(step)' method to record the data of this step.
                if current_step % summary_collect_frequency == 0:
                    summary_record.add_value("scalar", "loss", output)
                    summary_record.record(current_step)

                step += 1


if __name__ == "__main__":
    given = arguments("./summary_dir/summary_04", __doc__)
    train(given.summary_dir, given.count)
