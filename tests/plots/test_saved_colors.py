# SPDX-License-Identifier: Apache-2.0
"""Colors that a user gave on the page are those of the figures."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import mindscope
from mindscope.annotations import AnnotationChange, Annotations
from mindscope.plots.palette import PALETTE

from .conftest import write_curve


def choose(workspace: Path, base: Path, kind: str, key: str, color: str) -> None:
    with closing(Annotations(workspace, str(base.resolve()))) as annotations:
        annotations.write([AnnotationChange(kind, key, 0, {"color": color})])


def colors_of(figure) -> list[str]:
    return [line.get_color() for line in figure.axes[0].lines]


def test_a_run_keeps_its_color_wherever_it_is_opened(tmp_path: Path, workspace: Path):
    for name in ("a", "b", "c"):
        write_curve(tmp_path / "logs/sweep" / name, [1.0, 2.0])
    choose(workspace, tmp_path / "logs", "run", "sweep/a", "7")
    choose(workspace, tmp_path / "logs/sweep", "run", "b", "#123456")
    runs = mindscope.open_runs(tmp_path / "logs/sweep")
    assert colors_of(runs.plot("loss")) == [PALETTE[7], "#123456", PALETTE[2]]
    assert colors_of(mindscope.open_run(tmp_path / "logs/sweep/a").plot("loss")) == [PALETTE[7]]
    assert colors_of(runs["a"].plot("loss")) == [PALETTE[7]]


def test_a_group_has_its_color(tmp_path: Path, workspace: Path):
    for name in ("a/0", "a/1", "b/0"):
        write_curve(tmp_path / "logs" / name, [1.0, 2.0])
    choose(workspace, tmp_path / "logs", "group", "b", "3")
    figure = mindscope.open_runs(tmp_path / "logs").plot("loss", by="directory")
    assert colors_of(figure) == [PALETTE[0], PALETTE[3]]


def test_a_color_that_is_none_is_left_out(tmp_path: Path, workspace: Path):
    write_curve(tmp_path / "logs/a", [1.0])
    for number, color in enumerate(("red", "url(x)", "12")):
        with closing(Annotations(workspace, str((tmp_path / "logs").resolve()))) as annotations:
            annotations.write([AnnotationChange("run", "a", number, {"color": color})])
        assert colors_of(mindscope.open_runs(tmp_path / "logs").plot("loss"))[0] == PALETTE[0]


def test_nothing_is_written_without_annotations(tmp_path: Path, workspace: Path):
    write_curve(tmp_path / "logs/a", [1.0, 2.0])
    mindscope.open_runs(tmp_path / "logs").plot("loss")
    assert not workspace.exists()
