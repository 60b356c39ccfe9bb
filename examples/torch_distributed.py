# SPDX-License-Identifier: Apache-2.0
"""Training on several processes, each of which records into a directory of its own.

torchrun --standalone --nproc_per_node=2 examples/torch_distributed.py --summary-dir summary_dir
"""

from __future__ import annotations

import argparse

import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler
from torch_lenet import LeNet5, create_dataset

from mindscope.torch import Model, SummaryCollector, get_rank, init, release

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--summary-dir", default="./summary_dir")
    parser.add_argument("--count", type=int, default=1500)
    arguments = parser.parse_args()
    init("nccl" if torch.cuda.is_available() else "gloo")
    if torch.cuda.is_available():
        torch.cuda.set_device(get_rank() % torch.cuda.device_count())

    data = create_dataset(arguments.count).dataset
    ds_train = DataLoader(data, batch_size=32, sampler=DistributedSampler(data), drop_last=True)
    torch.manual_seed(1)
    network = LeNet5(10).to("cuda" if torch.cuda.is_available() else "cpu")
    network = DistributedDataParallel(network)
    net_opt = torch.optim.SGD(network.parameters(), lr=0.01, momentum=0.9)
    model = Model(network, nn.CrossEntropyLoss(), net_opt, metrics={"accuracy"})

    summary_dir = arguments.summary_dir + str(get_rank())
    summary_collector = SummaryCollector(summary_dir=summary_dir, collect_freq=1)
    model.train(epoch=1, train_dataset=ds_train, callbacks=[summary_collector], dataset_sink_mode=False)
    model.eval(ds_train, callbacks=[summary_collector])
    release()
