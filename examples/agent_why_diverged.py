# SPDX-License-Identifier: Apache-2.0
"""An agent without a language model: it finds by the tools of mindscope mcp why a training diverged.

python examples/agent_why_diverged.py --directory runs
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import torch
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from torch import nn

import mindscope
from mindscope.torch import Debugger

RATES = {"steady": 0.05, "steep": 25.0}
STEPS = 60


def train(directory: Path, name: str, rate: float) -> None:
    """Fit a small network to a sine with plain gradient descent."""
    torch.manual_seed(0)
    network = nn.Sequential(nn.Linear(1, 32), nn.ReLU(), nn.Linear(32, 1))
    optimizer = torch.optim.SGD(network.parameters(), lr=rate)
    x = torch.linspace(-3, 3, 64)[:, None]
    mindscope.init(name=name, dir=directory, config={"learning_rate": rate, "hidden": 32})
    with Debugger(directory / name, network) as debugger:
        for step in range(1, STEPS + 1):
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(network(x), torch.sin(x))
            loss.backward()
            optimizer.step()
            mindscope.log({"loss": loss.item()}, step)
            debugger.step(loss)
    mindscope.finish()


async def explain(directory: Path) -> None:
    """Ask the tools in the order in which an agent would, and print what each step of the search says."""
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "mindscope", "mcp", str(directory)], env=dict(os.environ)
    )
    async with Client(command) as client:

        async def ask(tool: str, **arguments: Any) -> dict[str, Any]:
            result = await client.call_tool(tool, arguments)
            if result.is_error or result.structured_content is None:
                raise SystemExit(f"{tool}: {result.content}")
            return result.structured_content

        alerts = (await ask("list_alerts", rule="nan"))["alerts"]
        if not alerts:
            print("No training is NaN.")
            return
        run = alerts[0]["run"]
        (curve,) = (await ask("read_curves", runs=[run], tags=["loss"], points=12))["curves"]
        print(f"{run}: the loss is {curve['first']['value']:.4g} first, {curve['max']['value']:.4g} at most.")
        print(f"{run}: {alerts[0]['message']} since step {alerts[0]['step']}.")
        for sentence in (await ask("first_bad_number", run=run))["sentences"]:
            print(f"{run}: {sentence}")
        best = (await ask("best_run", metric="loss"))["runs"][0]["run"]
        comparison = await ask("compare_runs", runs=[best, run], tags=["loss"])
        for row in comparison["differences"]:
            if "/" not in row["field"]:
                print(f"{row['field']}: {row['values'][0]} in {best}, {row['values'][1]} in {run}.")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--directory", type=Path, default=Path("runs"))
    arguments = parser.parse_args()
    for name, rate in RATES.items():
        train(arguments.directory, name, rate)
    asyncio.run(explain(arguments.directory))
