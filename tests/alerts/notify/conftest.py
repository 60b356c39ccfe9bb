# SPDX-License-Identifier: Apache-2.0
"""Servers on the loopback: HTTP with any behavior, and mail."""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
import struct
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword

from mindscope.alerts import Alert
from mindscope.alerts.alert import Finding, alert_id

SECRET = "s3cr3t-Tok/en+Wert"


class WebhookServer(ThreadingHTTPServer):
    """Takes requests. ``answers`` has a status for each request, "reset" or "slow"; the last one stays."""

    daemon_threads = True

    def __init__(self) -> None:
        self.answers: list[int | str] = [200]
        self.requests: list[tuple[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.arrived = threading.Condition()
        self.released = threading.Event()
        super().__init__(("127.0.0.1", 0), _Webhook)

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.server_port}"

    def wait_for(self, count: int) -> list[tuple[str, Any]]:
        with self.arrived:
            assert self.arrived.wait_for(lambda: len(self.requests) >= count, 30), self.requests
            return list(self.requests)


class _Webhook(BaseHTTPRequestHandler):
    server: WebhookServer

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        server = self.server
        with server.arrived:
            server.requests.append((self.path, json.loads(body) if body.startswith(b"{") else body.decode()))
            server.headers.append(dict(self.headers))
            answer = server.answers.pop(0) if len(server.answers) > 1 else server.answers[0]
            server.arrived.notify_all()
        if answer == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True
            self.connection.close()
            return
        if answer == "slow":
            server.released.wait(30)
            self.close_connection = True
            return
        self.send_response(int(answer))
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def webhook() -> Iterator[WebhookServer]:
    server = WebhookServer()
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield server
    server.released.set()
    server.shutdown()
    server.server_close()
    thread.join()


class Mailbox:
    """Takes mail of the user ``ann`` with the password ``SECRET``."""

    def __init__(self) -> None:
        self.mails: list[Any] = []

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        self.mails.append(envelope)
        return "250 OK"

    def authenticate(self, server: Any, session: Any, envelope: Any, mechanism: str, data: Any) -> AuthResult:
        is_known = isinstance(data, LoginPassword) and (data.login, data.password) == (b"ann", SECRET.encode())
        return AuthResult(success=is_known)


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> ssl.SSLContext:
    """A certificate that this server signed itself."""
    directory = tmp_path_factory.mktemp("certificate")
    key, signed = directory / "key.pem", directory / "signed.pem"
    subject = ("-subj", "/CN=127.0.0.1", "-days", "2", "-nodes", "-newkey", "rsa:2048")
    command = ["openssl", "req", "-x509", *subject, "-keyout", str(key), "-out", str(signed)]
    subprocess.run(command, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(signed, key)
    return context


@pytest.fixture
def mail(certificate: ssl.SSLContext) -> Iterator[tuple[Mailbox, int]]:
    """A mail server that requires STARTTLS and a password, and its port."""
    mailbox = Mailbox()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    controller = Controller(
        mailbox, "127.0.0.1", port, authenticator=mailbox.authenticate, auth_required=True, require_starttls=True,
        tls_context=certificate, loop=asyncio.new_event_loop(),
    )  # fmt: skip
    controller.start()
    yield mailbox, port
    controller.stop()
    controller.loop.close()


def made_alert(rule: str = "nan", run: str = "a", step: int = 7, tag: str = "loss", message: str = "") -> Alert:
    finding = Finding(step, 0.0, float("nan"), step, 1, True)
    return Alert(alert_id(rule, run, tag, step), rule, run, tag, finding, message or "the loss is NaN or infinite")
