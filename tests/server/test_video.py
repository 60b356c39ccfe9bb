# SPDX-License-Identifier: Apache-2.0
"""Videos: the facts of their frames, their bytes, and what is said of those that are damaged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from starlette.testclient import TestClient

from mindscope import SummaryRecord
from mindscope.ingest import Catalog
from mindscope.server.app import create_app
from mindscope.settings import Settings
from tests.event_log import TENSORBOARD_NAME, append, tensorboard_event, tensorboard_version
from tests.formats.test_videos import PICTURES

Ask = Callable[..., httpx.Response]


@pytest.fixture
def ask(tmp_path: Path) -> Any:
    """Asks about a log with videos of the tags whole, cut and recorded."""
    logs = tmp_path / "logs"
    size = {"height": 6, "width": 8, "colorspace": 3}
    encoded = {"whole": PICTURES["looping"], "cut": PICTURES["looping"][:-20]}
    values = [{"tag": tag, "image": {**size, "encoded_image_string": gif}} for tag, gif in encoded.items()]
    (logs / "run").mkdir(parents=True)
    append(logs / "run" / TENSORBOARD_NAME.format(1), tensorboard_version() + tensorboard_event(7, *values))
    with SummaryRecord(str(logs / "own"), raise_exception=True) as record:
        record.add_value("video", "recorded", {"frames": np.zeros((5, 4, 6), np.uint8), "fps": 20})
        record.record(3)
    catalog = Catalog(logs)
    catalog.refresh()
    app = create_app(Settings(summary_base_dir=logs, workspace=tmp_path), catalog)
    with TestClient(app, "http://localhost") as http:

        def ask(path: str, tag: str, run: str = "run", **more: str) -> httpx.Response:
            query = {"run": run, "tag": tag, **more}
            if "id" not in query:
                query["id"] = http.get("/api/values", params={**query, "kind": "video"}).json()["id"][0]
            return http.get(path, params=query)

        yield ask


def test_facts_are_those_of_the_frames(ask: Ask) -> None:
    facts = ask("/api/video", "whole").json()
    assert (facts["width"], facts["height"], facts["durations_ms"]) == (8, 6, [30, 50, 70])
    assert (facts["step"], facts["damage"], facts["size_bytes"]) == (7, None, len(PICTURES["looping"]))
    own = ask("/api/video", "recorded", run="own").json()
    assert (own["width"], own["height"], own["durations_ms"], own["step"]) == (6, 4, [50] * 5, 3)


def test_the_bytes_stand_where_the_facts_say(ask: Ask, tmp_path: Path) -> None:
    facts, data = ask("/api/video", "whole").json(), ask("/api/video/data", "whole")
    assert data.headers["content-type"] == "image/gif"
    assert "immutable" in data.headers["cache-control"]
    assert data.content == PICTURES["looping"]
    (file,) = (tmp_path / "logs" / "run").iterdir()
    assert file.read_bytes()[facts["offset"] :].startswith(data.content)


def test_a_video_that_breaks_off_is_handed_out_with_its_damage(ask: Ask) -> None:
    facts = ask("/api/video", "cut").json()
    assert facts["damage"]["code"] == "image_truncated"
    assert facts["durations_ms"] == [30, 50]
    assert ask("/api/video/data", "cut").content == PICTURES["looping"][:-20]


def test_what_is_not_there_is_refused(ask: Ask) -> None:
    for path in ("/api/video", "/api/video/data"):
        assert ask(path, "whole", id="0.0.0").status_code == 404
        assert ask(path, "other", id="0.0.0").status_code == 404
    assert ask("/api/values", "whole", kind="scalar", id="").status_code == 404
    assert ask("/api/images", "whole", id="").status_code == 404
