# SPDX-License-Identifier: Apache-2.0
"""20,000 tags in one run, through the viewer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.event_log import MINDSPORE_NAME, append, scalars, version
from tests.server.live_viewer import eventually, running_viewer

pytestmark = pytest.mark.scale

TAGS = [f"layer_{number // 100:03d}/norm_{number:05d}" for number in range(20_000)]


def test_twenty_thousand_tags_are_served_and_grow(tmp_path: Path) -> None:
    path = tmp_path / "logs" / "run" / MINDSPORE_NAME.format(1)
    path.parent.mkdir(parents=True)
    append(path, version() + b"".join(scalars(step, dict.fromkeys(TAGS, float(step))) for step in range(3)))
    with running_viewer(tmp_path / "logs", tmp_path) as viewer:
        run = eventually(lambda: (got := viewer.runs().get("run")) and got["tags"] and got)
        assert run["tags"] == {"scalar": 20_000}
        tags = viewer.tags("run")
        assert list(tags) == TAGS
        assert {tag["points"] for tag in tags.values()} == {3}
        curves = viewer.curves(*(("run", tag) for tag in TAGS[-10_000:]))
        assert [curve["tag"] for curve in curves.header["series"]] == TAGS[-10_000:]
        assert curves.column(9999, "value").tolist() == [0.0, 1.0, 2.0]
        append(path, scalars(3, dict.fromkeys(TAGS, 3.0)))
        eventually(lambda: {tag["last"]["step"] for tag in viewer.tags("run").values()} == {3})
