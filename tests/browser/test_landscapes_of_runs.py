# SPDX-License-Identifier: Apache-2.0
"""Trainings on one plane, end to end: the page offers a command, a shell runs it, and the page overlays them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest
from playwright.sync_api import Page, expect

from tests.server.live_viewer import LiveViewer, eventually, running_viewer

OpenPage = Callable[[LiveViewer, str], Page]
NAMES = ("a $(touch broken)", "b")  # a shell must not run a part of a name
PROGRAM = '''
"""The program of a user: its functions, and a training of three steps."""
import sys

import torch
from torch import nn

from mindscope.torch import LandscapeCollector


def make_network():
    return nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 2))


def make_batches():
    inputs = torch.linspace(-1, 1, 32).reshape(16, 2)
    return [(inputs, (inputs[:, 0] > 0).long())]


def train(directory, seed):
    torch.manual_seed(seed)
    network = make_network()
    optimizer = torch.optim.SGD(network.parameters(), lr=0.5)
    ((inputs, labels),) = make_batches()
    with LandscapeCollector(directory, intervals=[[1, 2, 3]], landscape_size=6) as collector:
        for _ in range(3):
            optimizer.zero_grad()
            nn.functional.cross_entropy(network(inputs), labels).backward()
            optimizer.step()
            collector.step(network)


def main():
    from mindscope.torch import landscape

    for seed, directory in enumerate(sys.argv[1:]):
        train(directory, seed)
        for method in ("pca", "line"):
            landscape(make_network(), nn.functional.cross_entropy, make_batches(), directory, size=6, method=method)
'''


def shell(command: str, directory: Path) -> None:
    """Run a command line as the user does, beside the user's program."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-ec", command],
        cwd=directory,
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": path},
        timeout=250,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def address(*tags: str, **settings: str) -> str:
    """The page of the runs, with landscapes of these tags, or those that it chooses."""
    chosen = [("landscape", json.dumps([name, tag])) for name in NAMES for tag in tags]
    runs = [("run", name) for name in NAMES]
    return "/landscape?" + urlencode([*runs, *chosen, *settings.items()], quote_via=quote)


@pytest.mark.framework
def test_trainings_are_overlaid_after_the_offered_command_computed_their_common_plane(
    tmp_path: Path, open_page: OpenPage
) -> None:
    pytest.importorskip("torch")
    base = tmp_path / "logs"
    (tmp_path / "users_plane.py").write_text(PROGRAM)
    train = "import sys, users_plane; users_plane.main()"
    subprocess.run(
        [sys.executable, "-c", train, *(str(base / name) for name in NAMES)], cwd=tmp_path, check=True, timeout=250
    )
    with running_viewer(base, tmp_path / "viewer") as live:
        eventually(lambda: [run["tags"].get("landscape") for run in live.runs().values()] == [2, 2])
        page = open_page(live, address("landscape_[1, 3]", landscape_overlay="on", landscape_form="contours"))
        notice, cards = page.get_by_test_id("landscape-other-planes"), page.get_by_test_id("landscape-card")
        expect(cards).to_have_count(2)
        expect(notice).to_have_count(1)
        command = notice.locator("code").inner_text()
        for function in ("users_plane:make_network", "users_plane:make_batches", "torch.nn:CrossEntropyLoss"):
            command = command.replace("MODULE:FUNCTION", function, 1)
        shell(command, tmp_path)
        assert not list(tmp_path.rglob("broken"))
        eventually(lambda: [run["tags"].get("landscape") for run in live.runs().values()] == [3, 3])
        page = open_page(live, address(landscape_overlay="on", landscape_form="contours"))
        expect(cards := page.get_by_test_id("landscape-card")).to_have_count(1)
        for name in NAMES:
            expect(cards).to_contain_text(name)
            expect(page.get_by_test_id("landscape-legend")).to_contain_text(name)
        expect(page.get_by_test_id("landscape-legend").locator(".bar")).to_have_count(1)  # one surface, two paths
        expect(page.get_by_test_id("landscape-other-planes")).to_have_count(0)
        with page.expect_download() as download:
            page.get_by_test_id("save-view").press("Enter")
        saved = Path(download.value.path()).read_text()
        for name in NAMES:
            assert f"{name}: The plane explains " in saved
        page = open_page(live, address("landscape_[1, 3]_line", landscape_overlay="on"))
        expect(page.get_by_test_id("landscape-card")).to_have_count(1)
        expect(page.get_by_test_id("landscape-quality")).to_have_text(
            "These lines have different directions: the same coordinate is different weights. "
            "On each line, 0 is the first checkpoint and 1 is the last."
        )
