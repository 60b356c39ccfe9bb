# SPDX-License-Identifier: Apache-2.0
"""``mindscope plot`` writes figures of every format."""

from __future__ import annotations

import numpy as np
import pytest

from tests.plots.conftest import write_curve

from .conftest import CommandLine

KINDS = {"pdf": b"%PDF", "svg": b"<?xml", "png": b"\x89PNG", "html": b"<!doctype html>", "json": b"{"}


@pytest.fixture
def plotted(mindscope: CommandLine) -> CommandLine:
    for seed in range(3):
        write_curve(mindscope.room / f"runs/s{seed}", np.linspace(2, 1, 50) + seed)
    return mindscope


@pytest.mark.parametrize("suffix", KINDS)
def test_it_writes_every_format(plotted: CommandLine, suffix: str):
    arguments = ("plot", "runs", "--tags", "loss", "--by", "directory", "--spread", "range", "--smoothing", "0.5")
    assert plotted(*arguments, "--out", f"loss.{suffix}").stdout == f"wrote loss.{suffix}\n"
    first = (plotted.room / f"loss.{suffix}").read_bytes()
    assert first.startswith(KINDS[suffix])
    plotted(*arguments, "--out", f"loss.{suffix}")
    assert (plotted.room / f"loss.{suffix}").read_bytes() == first


def test_labels_rename_runs(plotted: CommandLine):
    plotted("plot", "runs", "--tags", "loss", "--runs", "s[01]", "--label", "s0=Ours", "--out", "loss.json")
    text = (plotted.room / "loss.json").read_text()
    assert '"name":"Ours"' in text
    assert '"name":"s1"' in text
    assert '"name":"s2"' not in text


@pytest.mark.parametrize(
    ("arguments", "status", "want"),
    [
        (["--tags", "los", "--out", "a.pdf"], 1, "did you mean 'loss'?"),
        (["--tags", "loss", "--out", "a.bmp"], 2, "names no format of figures"),
        (["--tags", "loss", "--out", "no/a.pdf"], 1, "No such file or directory"),
        (["--tags", "loss", "--out", "a.pdf", "--size", "3by4"], 2, "--size is '3by4'"),
        (["--tags", "loss", "--out", "a.pdf", "--label", "x"], 2, "want RUN=TEXT"),
        (["--tags", "loss", "--out", "a.pdf", "--by", "lr"], 1, "There is no column “lr”"),
        (["--tags", "loss", "--out", "a.pdf", "--where", "lr <"], 1, "incomplete"),
        (["--tags", "loss", "--out", "a.pdf", "--smoothing", "2"], 2, "smoothing is 2.0"),
    ],
    ids=lambda value: value[-2].strip("-") + value[-1][-4:] if isinstance(value, list) else None,
)
def test_what_it_refuses_is_one_line(plotted: CommandLine, arguments: list[str], status: int, want: str):
    refused = plotted("plot", "runs", *arguments, want=status)
    assert want in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
