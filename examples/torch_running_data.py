# SPDX-License-Identifier: Apache-2.0
"""The running data recorder: a training that fails leaves what it did last.

python examples/torch_running_data.py --directory rdr
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import torch
from torch import Tensor, nn
from torch_lenet import LeNet5, create_dataset

from mindscope.torch import Model, set_context


class Fragile(nn.CrossEntropyLoss):
    """Fails at its third batch."""

    calls = 0

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss, twice."""
        self.calls += 1
        if self.calls == 3:
            raise RuntimeError("Run task error")
        return super().forward(input, target)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--directory", default="./rdr")
    parser.add_argument("--count", type=int, default=1500)
    arguments = parser.parse_args()
    directory = Path(arguments.directory).absolute()
    directory.mkdir(parents=True, exist_ok=True)
    config = directory / "mindspore_config.json"
    config.write_text(json.dumps({"rdr": {"enable": True, "mode": 1, "path": str(directory)}}))

    set_context(env_config_path=config)
    network = LeNet5(10)
    model = Model(network, Fragile(), torch.optim.SGD(network.parameters(), lr=0.01))
    try:
        model.train(1, create_dataset(arguments.count))
    except RuntimeError as error:
        print(f"{error}; see {directory}/rank_0/rdr")
