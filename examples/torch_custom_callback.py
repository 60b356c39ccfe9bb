# SPDX-License-Identifier: Apache-2.0
"""Callbacks of one's own: end after a time, and keep the checkpoint of the best accuracy.

python examples/torch_custom_callback.py --directory checkpoints --minutes 0.1
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch_lenet import LeNet5, create_dataset

from mindscope.torch import Callback, Model, RunContext, save_checkpoint


class StopAtTime(Callback):
    """Ends the training after so many minutes."""

    def __init__(self, run_time: float) -> None:
        super().__init__()
        self.run_time = run_time * 60

    def begin(self, run_context: RunContext) -> None:
        """Take the time."""
        cb_params = run_context.original_args()
        cb_params.init_time = time.time()

    def step_end(self, run_context: RunContext) -> None:
        """Ask to end when the time is over."""
        cb_params = run_context.original_args()
        epoch_num = cb_params.cur_epoch_num
        step_num = cb_params.cur_step_num
        loss = cb_params.net_outputs
        if (time.time() - cb_params.init_time) > self.run_time:
            print("epoch: ", epoch_num, " step: ", step_num, " loss: ", loss)
            run_context.request_stop()


class SaveCallback(Callback):
    """Saves the network whenever it is better than before."""

    def __init__(self, eval_model: Model, ds_eval: Any, directory: str) -> None:
        super().__init__()
        self.model = eval_model
        self.ds_eval = ds_eval
        self.directory = directory
        self.acc = 0

    def step_end(self, run_context: RunContext) -> None:
        """Evaluate, and save."""
        cb_params = run_context.original_args()
        result = self.model.eval(self.ds_eval)
        if result["accuracy"] > self.acc:
            self.acc = result["accuracy"]
            file_name = str(self.acc) + ".ckpt"
            save_checkpoint(save_obj=cb_params.train_network, ckpt_file_name=Path(self.directory) / file_name)
            print("Save the maximum accuracy checkpoint,the accuracy is", self.acc)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--directory", default="./checkpoints")
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--count", type=int, default=1500)
    arguments = parser.parse_args()
    network = LeNet5(10)
    net_opt = torch.optim.SGD(network.parameters(), lr=0.02, momentum=0.9)
    model = Model(network, nn.CrossEntropyLoss(), net_opt, metrics={"accuracy"})
    saving = SaveCallback(model, create_dataset(arguments.count), arguments.directory)
    model.train(100, create_dataset(arguments.count), callbacks=[saving, StopAtTime(arguments.minutes)])
