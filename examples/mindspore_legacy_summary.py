# SPDX-License-Identifier: Apache-2.0
"""The callbacks of scripts from before the collector: SummaryStep, TrainLineage and EvalLineage on a SummaryRecord.

python examples/mindspore_legacy_summary.py --summary-dir summary
"""

from __future__ import annotations

from typing import Any

from mindspore import nn, ops
from mindspore.train import Accuracy, Model
from mindspore_lenet import LeNet5, arguments, create_dataset

from mindscope.mindspore import EvalLineage, SummaryRecord, SummaryStep, TrainLineage


class CrossEntropyLoss(nn.LossBase):
    """Records the loss that it computes."""

    def __init__(self) -> None:
        super().__init__()
        self.cross_entropy = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
        # Init ScalarSummary
        self.sm_scalar = ops.ScalarSummary()

    def construct(self, logits: Any, label: Any) -> Any:
        loss = self.cross_entropy(logits, label)
        # Record loss
        self.sm_scalar("loss", loss)
        return loss


if __name__ == "__main__":
    given = arguments("./summary", __doc__)
    net = LeNet5(10)
    optim = nn.Momentum(net.trainable_params(), 0.01, 0.9)
    model = Model(net, loss_fn=CrossEntropyLoss(), optimizer=optim, metrics={"Accuracy": Accuracy()})
    with SummaryRecord(log_dir=given.summary_dir, network=net) as summary_writer:
        summary_callback = SummaryStep(summary_writer, flush_step=2)
        train_callback = TrainLineage(summary_writer)
        train_ds = create_dataset(given.count)
        model.train(1, train_ds, callbacks=[summary_callback, train_callback], dataset_sink_mode=False)
        eval_callback = EvalLineage(summary_writer)
        model.eval(create_dataset(given.count), callbacks=[eval_callback], dataset_sink_mode=False)
