# SPDX-License-Identifier: Apache-2.0
"""Streams of profiles, and the rows of advice, over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.profile.advised_profiles import ASCEND, TRACE, advised_ascend, advised_trace

from .profile_directory import viewer_of, wait_until_read


def write(run: Path) -> None:
    advised_trace(run / TRACE)
    advised_ascend(run)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with viewer_of(tmp_path_factory.mktemp("profiles"), write) as made:
        yield made


def test_streams(client: TestClient) -> None:
    of = wait_until_read(client, TRACE)
    found = client.get("/api/profiles/streams", params=of).json()
    (stream,) = found["streams"]
    assert (found["missing"], found["kernel_wait_us"]) == (None, 30)
    assert (stream["device"], stream["stream"], stream["kernels"], stream["busy_ns"]) == (
        "GPU 0",
        "stream 7",
        10,
        125_000,
    )
    assert (stream["short"], stream["launches"], stream["queue_peak"]) == (10, 10, 1)
    for threshold in (-1, 1001):
        assert client.get("/api/profiles/streams", params={**of, "kernel_wait_us": threshold}).status_code == 422


def test_why_streams_are_missing(client: TestClient) -> None:
    of = wait_until_read(client, ASCEND)
    found = client.get("/api/profiles/streams", params=of).json()
    assert (found["streams"], found["missing"]["part"]) == ([], "streams")


def test_rows_of_advice_have_places(client: TestClient) -> None:
    of = wait_until_read(client, TRACE)
    summary: dict[str, Any] = client.get("/api/profiles/tables", params=of).json()["tables"]["summary"]
    advice = {each["code"]: each for card in summary["cards"] for each in card["advice"]}
    assert "stream_gaps" not in {each["part"] for each in summary["missing"]}
    collective = advice["other_backend"]["rows"][0]
    version = client.get("/api/profiles/timeline", params=of).json()["timeline"]["version"]
    slice = client.get("/api/profiles/slice", params={**of, "version": version, "slice": collective["slice"]}).json()
    assert (slice["slice"]["name"], slice["slice"]["begin_ns"]) == ("gloo:all_reduce", collective["begin_ns"])
    assert (advice["leak"]["table"], advice["leak"]["row_count"]) == ("blocks", 3)
