# SPDX-License-Identifier: Apache-2.0
"""A real nginx before a viewer."""

from __future__ import annotations

import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from shutil import which

import httpx

from tests.server.live_viewer import DEADLINE_S, eventually, free_port

SETTINGS = """
daemon off;
master_process off;
error_log stderr;
pid {room}/pid;
events {{}}
http {{
    access_log off;
    client_body_temp_path {room}/body;
    proxy_temp_path {room}/proxy;
    fastcgi_temp_path {room}/fastcgi;
    uwsgi_temp_path {room}/uwsgi;
    scgi_temp_path {room}/scgi;
    server {{
        listen 127.0.0.1:{port};
        location {prefix} {{
            {location}
        }}
    }}
}}
"""


@contextmanager
def nginx(room: Path, prefix: str, location: str, port: int | None = None) -> Generator[int]:
    """Run nginx with these lines for one location, on a free port unless told; yields the port."""
    program = which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin")
    assert program, "no nginx: apt-get install nginx"
    room.mkdir()
    port = port or free_port()
    settings = room / "nginx.conf"
    settings.write_text(SETTINGS.format(room=room, port=port, prefix=prefix, location=location))
    with subprocess.Popen([program, "-e", "stderr", "-p", str(room), "-c", str(settings)]) as process:
        try:
            eventually(lambda: process.poll() is not None or _answers(port))
            assert process.poll() is None
            yield port
        finally:
            process.terminate()
            process.wait(DEADLINE_S)


def _answers(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/").status_code > 0  # whatever it is
    except httpx.TransportError:
        return False
