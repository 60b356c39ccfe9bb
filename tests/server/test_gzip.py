# SPDX-License-Identifier: Apache-2.0
"""Long texts are sent compressed to those who take it, and only to them."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from mindscope.server.http.gzip import SMALLEST_BYTES, GzipResponse

LONG = "训练 " * SMALLEST_BYTES


@pytest.fixture(scope="module")
def http() -> Iterator[httpx.Client]:
    app = FastAPI()
    app.add_api_route("/long", lambda: GzipResponse(LONG, media_type="text/html"))
    app.add_api_route("/short", lambda: GzipResponse("short", media_type="text/html"))
    with TestClient(app) as http:
        yield http


@pytest.mark.parametrize("accepted", ["gzip", "br, GZIP;q=0.5", "deflate , gzip ; q=1.0"])
def test_a_long_text_is_compressed(http: httpx.Client, accepted: str):
    answer = http.get("/long", headers={"accept-encoding": accepted})
    assert answer.text == LONG
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["vary"] == "accept-encoding"
    assert answer.num_bytes_downloaded == int(answer.headers["content-length"]) < len(LONG.encode()) / 4


@pytest.mark.parametrize("accepted", ["", "identity", "br", "gzip;q=0", "gzip;q=0.00", "xgzip"])
def test_nobody_is_sent_what_he_can_not_read(http: httpx.Client, accepted: str):
    answer = http.get("/long", headers={"accept-encoding": accepted})
    assert answer.content == LONG.encode()
    assert "content-encoding" not in answer.headers
    assert answer.headers["vary"] == "accept-encoding"


def test_a_short_text_is_sent_as_it_is(http: httpx.Client):
    answer = http.get("/short", headers={"accept-encoding": "gzip"})
    assert (answer.content, "content-encoding" in answer.headers) == (b"short", False)
