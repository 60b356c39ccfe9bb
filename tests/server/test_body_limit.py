# SPDX-License-Identifier: Apache-2.0
"""Bodies that are too large are refused before they have come, and the viewer goes on."""

from __future__ import annotations

import json
import socket
from typing import Any

import pytest

from mindscope.server.http.body_limit import MOST_BYTES

from .live_viewer import DEADLINE_S, LiveViewer

HEAD = "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n{size}\r\n\r\n"
CHUNK = b"1" * (1 << 20)


def refusal(raw: socket.socket) -> dict[str, Any]:
    """The answer to a request whose end was never sent."""
    answer = raw.makefile("rb")
    assert answer.readline().split()[1] == b"413"
    size = 0
    while line := answer.readline().strip():
        name, _, value = line.lower().partition(b":")
        size = int(value) if name == b"content-length" else size
    return json.loads(answer.read(size))["error"]


@pytest.mark.parametrize("path", ["/api/tags", "/api/curves", "/api/nowhere"])
def test_a_body_that_declares_too_much_is_refused_before_a_byte_of_it(viewer: LiveViewer, path: str):
    with socket.create_connection(("127.0.0.1", viewer.port), timeout=DEADLINE_S) as raw:
        raw.sendall(HEAD.format(path=path, size="content-length: 66000000").encode())
        error = refusal(raw)
    assert error["code"] == "body_too_large"
    assert error["values"] == {"request": f"POST {path}", "size": 66_000_000, "most": MOST_BYTES}
    assert error["remedy"]


def test_a_body_that_tells_no_size_is_refused_while_it_streams_in(viewer: LiveViewer):
    with socket.create_connection(("127.0.0.1", viewer.port), timeout=DEADLINE_S) as raw:
        raw.sendall(HEAD.format(path="/api/tags", size="transfer-encoding: chunked").encode())
        for _ in range(MOST_BYTES // len(CHUNK) + 1):
            raw.sendall(f"{len(CHUNK):x}\r\n".encode() + CHUNK + b"\r\n")
        error = refusal(raw)
    assert error["code"] == "body_too_large"
    assert MOST_BYTES < error["values"]["size"] <= MOST_BYTES + len(CHUNK)


def test_the_largest_body_is_read_and_the_connection_goes_on_after_a_larger_one(viewer: LiveViewer):
    most = b" " * (MOST_BYTES - len(b'{"runs": []}')) + b'{"runs": []}'
    headers = {"content-type": "application/json"}
    for body, want in ((most, 200), (b" " + most, 413), (b'{"runs": []}', 200)):
        assert viewer.http.post("/api/tags", content=body, headers=headers).status_code == want
