# SPDX-License-Identifier: Apache-2.0
"""A server of S3 on this machine, and a proxy before it that fails as networks and stores do."""

from __future__ import annotations

import contextlib
import http.client
import re
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from threading import Lock, Thread
from typing import Any
from urllib.parse import urlsplit

import pytest

from mindscope.tracking.viewers import free_port

boto3 = pytest.importorskip("boto3")
pytest.importorskip("obstore")
pytest.importorskip("moto")

HOST = "127.0.0.1"


@dataclass
class Request:
    method: str
    path: str
    """With its query."""
    range: str
    authorization: str = ""

    @property
    def is_list(self) -> bool:
        return "list-type=2" in self.path


@dataclass
class Fault:
    """What happens to the next ``times`` requests that ``applies``: an action on the answer, before it is sent."""

    applies: Callable[[Request], bool]
    act: Callable[[Answer], Answer | None]
    times: int = 1


@dataclass
class Answer:
    status: int
    headers: list[tuple[str, str]]
    body: bytes
    sent: int | None = None
    """Bytes of the body after which the connection is reset, None for all."""


@dataclass
class Proxy:
    port: int
    requests: list[Request] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    page_objects: int = 1000
    """The most objects of a page."""
    lock: Any = field(default_factory=Lock)

    def take(self, request: Request) -> Fault | None:
        with self.lock:
            self.requests.append(request)
            for fault in self.faults:
                if fault.times > 0 and fault.applies(request):
                    fault.times -= 1
                    return fault
        return None

    def of(self, method: str, part: str = "") -> list[Request]:
        return [each for each in self.requests if each.method == method and part in each.path]

    @property
    def lists(self) -> int:
        return sum(request.is_list for request in self.requests)

    def clear(self) -> None:
        self.page_objects = 1000
        self.requests.clear()
        self.faults.clear()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    proxy: Proxy
    upstream: int

    def _handle(self) -> None:
        request = Request(self.command, self.path, self.headers.get("range", ""), self.headers.get("authorization", ""))
        fault = self.proxy.take(request)
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if fault is not None and fault.act.__name__ == "before":
            fault.act(Answer(0, [], b""))
            fault = None
        connection = http.client.HTTPConnection(HOST, self.upstream, timeout=60)
        path = self.path + (f"&max-keys={self.proxy.page_objects}" if request.is_list else "")
        connection.request(self.command, path, body, dict(self.headers.items()))
        response = connection.getresponse()
        answer: Answer | None = Answer(response.status, response.getheaders(), response.read())
        connection.close()
        if fault is not None:
            answer = fault.act(answer)
        self._send(answer)

    def _send(self, answer: Answer | None) -> None:
        if answer is None or answer.sent is not None:
            self.close_connection = True
        if answer is not None:
            self.send_response(answer.status)
            for name, value in answer.headers:
                if name.lower() not in ("content-length", "connection", "transfer-encoding", "date", "server"):
                    self.send_header(name, value)
            length = {name.lower(): value for name, value in answer.headers}.get("content-length", "0")
            self.send_header("Content-Length", length if self.command == "HEAD" else str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body if answer.sent is None else answer.body[: answer.sent])
            self.wfile.flush()
        if self.close_connection and (answer is None or answer.sent is not None):
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # a reset
            self.connection.close()

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _handle

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def finish(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            super().finish()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass


@pytest.fixture(scope="session")
def s3_port() -> Iterator[int]:
    port = free_port(HOST)
    command = [sys.executable, "-m", "moto.server", "-H", HOST, "-p", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                socket.create_connection((HOST, port), 1).close()
                break
            except OSError:
                assert process.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.05)
        yield port
    finally:
        process.terminate()
        process.wait()


@pytest.fixture(scope="session")
def whole_proxy(s3_port: int) -> Iterator[Proxy]:
    server = _Server((HOST, 0), _Handler)
    proxy = Proxy(server.server_address[1])
    _Handler.proxy, _Handler.upstream = proxy, s3_port
    Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield proxy
    server.shutdown()
    server.server_close()


@pytest.fixture
def proxy(whole_proxy: Proxy, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Proxy:
    """The proxy as the endpoint of S3, without faults; caches are in the directory of the test."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{HOST}:{whole_proxy.port}")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "tester")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "c0ffee-secret")
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    whole_proxy.clear()
    return whole_proxy


_numbers = count()


@dataclass
class Bucket:
    """A bucket of its own, written past the proxy."""

    name: str
    client: Any

    @property
    def address(self) -> str:
        return f"s3://{self.name}"

    def put(self, key: str, body: bytes) -> None:
        self.client.put_object(Bucket=self.name, Key=key, Body=body)

    def delete(self, *keys: str) -> None:
        for key in keys:
            self.client.delete_object(Bucket=self.name, Key=key)

    def upload(self, directory: Path, prefix: str = "") -> None:
        for path in sorted(directory.rglob("*")):
            if path.is_file():
                self.put(f"{prefix}{path.relative_to(directory).as_posix()}", path.read_bytes())


@pytest.fixture(scope="session")
def s3_client(s3_port: int) -> Any:
    return boto3.client(
        "s3", endpoint_url=f"http://{HOST}:{s3_port}", region_name="us-east-1", aws_access_key_id="writer",
        aws_secret_access_key="writer",
    )  # fmt: skip


@pytest.fixture
def bucket(s3_client: Any, proxy: Proxy) -> Bucket:
    name = f"bucket-{next(_numbers)}"
    s3_client.create_bucket(Bucket=name)
    return Bucket(name, s3_client)


def status(code: int) -> Callable[[Answer], Answer]:
    def answer(given: Answer) -> Answer:
        body = b"<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>"
        return Answer(code, [("Content-Type", "application/xml")], body)

    return answer


def reset(given: Answer) -> None:
    return None


def cut(given: Answer) -> Answer:
    given.sent = len(given.body) // 2
    return given


def delay(seconds: float) -> Callable[[Answer], Answer]:
    def answer(given: Answer) -> Answer:
        time.sleep(seconds)
        return given

    return answer


def without(key: str) -> Callable[[Answer], Answer]:
    """A listing that is short of an object."""

    def answer(given: Answer) -> Answer:
        part = rf"<Contents><Key>{re.escape(key)}</Key>.*?</Contents>"
        given.body, cuts = re.subn(part.encode(), b"", re.sub(rb">\s+<", b"><", given.body), flags=re.DOTALL)
        assert cuts == 1, given.body
        return given

    return answer


def first(act: Callable[[], object]) -> Callable[[Answer], Answer | None]:
    """Do something before the request reaches the store."""

    def before(given: Answer) -> None:
        act()

    return before


def is_object(part: str) -> Callable[[Request], bool]:
    """Applies to requests for bytes of objects whose keys have a text in them."""
    return lambda request: request.method == "GET" and not request.is_list and part in urlsplit(request.path).path


def is_list(request: Request) -> bool:
    return request.is_list
