# SPDX-License-Identifier: Apache-2.0
"""Who may ask, and what can be had by asking."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from mindscope.server.http.security import host_name

from .live_viewer import GrowingLog, LiveViewer, eventually, running_viewer

CONTENT_SECURITY_POLICY = {
    "default-src 'self'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' blob: data:",
    "media-src 'self' blob:",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
}


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "127.0.0.1.evil.example", "localhost.", "[::1", "127.0.0.1:x", "@", ""],
)
def test_a_foreign_host_is_refused(viewer: LiveViewer, host: str):
    answer = viewer.http.get("/api/runs", headers={"host": host.format(port=viewer.port)})
    assert answer.status_code == 403
    assert answer.json()["error"]["code"] == "foreign_host"


@pytest.mark.parametrize("address", ["/", "/scalars", "/assets/x.js", "/api/live", "/api/openapi.json"])
def test_a_foreign_host_gets_nothing_at_all(viewer: LiveViewer, address: str):
    assert viewer.http.get(address, headers={"host": "evil.example"}).status_code == 403


@pytest.mark.parametrize("host", ["127.0.0.1:{port}", "localhost:{port}", "LOCALHOST", "[::1]:{port}", "[::1]"])
def test_this_machine_is_answered(viewer: LiveViewer, host: str):
    assert viewer.http.get("/api/runs", headers={"host": host.format(port=viewer.port)}).status_code == 200


def test_a_request_without_host_is_refused(viewer: LiveViewer):
    with socket.create_connection(("127.0.0.1", viewer.port), timeout=20) as raw:
        raw.sendall(b"GET /api/runs HTTP/1.0\r\n\r\n")
        assert raw.makefile("rb").readline().split()[1] == b"403"


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("localhost", "localhost"),
        ("Localhost:80", "localhost"),
        ("[::1]:80", "::1"),
        ("[::1]", "::1"),
        ("::1", ""),
        ("a:b", ""),
        ("[a", ""),
        ("a]", ""),
    ],
)
def test_the_name_in_a_host_header(host: str, name: str):
    assert host_name(host) == name


@pytest.mark.parametrize("address", ["/", "/api/runs", "/api/nix", "/assets/nix.js", "/api/openapi.json"])
def test_every_answer_forbids_foreign_code(viewer: LiveViewer, address: str):
    headers = viewer.http.get(address).headers
    assert set(headers["content-security-policy"].split("; ")) == CONTENT_SECURITY_POLICY
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert "access-control-allow-origin" not in headers


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_a_form_of_another_site_can_not_query(viewer: LiveViewer, content_type: str):
    answer = viewer.http.post("/api/tags", content=b'{"runs": []}', headers={"content-type": content_type})
    assert answer.status_code == 415


def test_no_preflight_is_granted(viewer: LiveViewer):
    asking = {"origin": "http://evil.example", "access-control-request-method": "POST"}
    answer = viewer.http.options("/api/tags", headers=asking)
    assert answer.status_code == 405
    assert "access-control-allow-origin" not in answer.headers


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    """A base directory with a run, and next to it a run and a secret that links in it lead to."""
    room = tmp_path_factory.mktemp("guarded")
    GrowingLog(room / "logs" / "inside").scalar(1, 1.0)
    outside = GrowingLog(room / "outside")
    outside.scalar(1, 42.0)
    (room / "secret.txt").write_text("secret")
    (room / "logs" / "link").symlink_to(room / "outside", target_is_directory=True)
    (room / "logs" / "linked_file").mkdir()
    (room / "logs" / "linked_file" / outside.path.name).symlink_to(outside.path)
    with running_viewer(room / "logs", room, "--reload-interval", "0") as live:
        eventually(lambda: live.runs().get("inside", {}).get("tags"))
        yield live


def test_links_out_of_the_base_directory_are_not_followed(guarded: LiveViewer):
    assert set(guarded.runs()) == {"inside"}


@pytest.mark.parametrize(
    "run", ["../outside", "link", "linked_file", "inside/../../outside", "/etc", "", "inside/", "\0"]
)
def test_a_run_id_is_never_a_path(guarded: LiveViewer, run: str):
    assert guarded.http.get("/api/damages", params={"run": run}).status_code == 404
    assert guarded.curves((run, "loss")).header["series"][0]["error"]
    assert guarded.tags(run) == {}


def test_an_absolute_run_id_is_never_a_path(guarded: LiveViewer):
    base = Path(guarded.http.get("/api/server").json()["base_dir"])
    assert guarded.http.get("/api/damages", params={"run": str(base / "inside")}).status_code == 404


@pytest.mark.parametrize(
    "target",
    [
        "/../../../../../../etc/passwd",
        "/assets/../../trust.py",
        "/assets/..%2f..%2ftrust.py",
        "/%2e%2e/trust.py",
        "/..%5ctrust.py",
        "//etc/passwd",
        "/assets//etc/passwd",
        "/assets/%00",
    ],
)
def test_no_address_leads_out_of_the_web_folder(guarded: LiveViewer, target: str):
    with socket.create_connection(("127.0.0.1", guarded.port), timeout=20) as raw:
        raw.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        answer = raw.makefile("rb").read()
    assert b"root:" not in answer
    assert b"SecurityMiddleware" not in answer


def test_other_addresses_of_the_machine_are_not_listened_on(guarded: LiveViewer):
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"http://127.0.0.2:{guarded.port}/api/runs")


def test_a_host_that_was_asked_for_is_answered(tmp_path: Path):
    with running_viewer(tmp_path, tmp_path, "--host", "127.0.0.2") as live:
        url = f"http://127.0.0.2:{live.port}/api/runs"
        assert httpx.get(url, timeout=60).status_code == 200
        assert httpx.get(url, timeout=60, headers={"host": "192.0.2.7"}).status_code == 200  # through a forwarded port
        assert httpx.get(url, timeout=60, headers={"host": "evil.example"}).status_code == 403


def test_with_every_interface_open_a_name_can_still_not_be_rebound(tmp_path: Path):
    with running_viewer(tmp_path, tmp_path, "--host", "0.0.0.0", "--no-token") as live:
        assert httpx.get(f"http://127.0.0.3:{live.port}/api/runs", timeout=60).status_code == 200
        assert live.http.get("/api/runs", headers={"host": "evil.example"}).status_code == 403


NAME = "viewer.example.org"
CHANGE = {"changes": [{"run": "run", "version": 0, "color": "1"}]}


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    """A viewer behind a proxy: with a public name, and a second one with its port."""
    room = tmp_path_factory.mktemp("named")
    with running_viewer(room, room, "--allow-host", NAME, "--allow-host", "other.example.org:8443") as live:
        yield live


@pytest.mark.parametrize("host", [NAME, NAME.upper(), f"{NAME}:8443", "other.example.org", "127.0.0.1"])
def test_an_allowed_host_is_answered(named: LiveViewer, host: str):
    assert named.http.get("/api/runs", headers={"host": host}).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "example.org", f"evil.{NAME}", f"{NAME}.evil.example", f"{NAME}."])
def test_only_the_allowed_hosts_are_answered(named: LiveViewer, host: str):
    """An address that the proxy reports makes no foreign name ours."""
    headers = {"host": host, "x-forwarded-host": NAME, "x-forwarded-proto": "https"}
    error = named.http.get("/api/runs", headers=headers)
    assert error.status_code == 403
    assert error.json()["error"]["code"] == "foreign_host"
    assert f"start with --allow-host {host}" in error.json()["error"]["remedy"]


@pytest.mark.parametrize(
    ("origin", "headers"),
    [
        (f"https://{NAME}", {"host": NAME}),
        (f"https://{NAME}", {}),  # the proxy puts the address of the viewer in place of the name
        ("https://other.example.org:8443", {}),
        (f"https://{NAME}:9443", {"host": f"{NAME}:9443"}),
        (f"https://{NAME}:9443", {"x-forwarded-host": f"{NAME}:9443, 10.0.0.2"}),
    ],
)
def test_a_page_of_an_allowed_host_changes_notes(named: LiveViewer, origin: str, headers: dict[str, str]):
    headers = {"origin": origin, "sec-fetch-site": "same-origin"} | headers
    answer = named.http.post("/api/tags", json={"runs": [], "kind": "scalar"}, headers=headers)
    assert answer.status_code == 200


@pytest.mark.parametrize(
    ("origin", "headers"),
    [
        ("https://evil.example", {}),
        ("https://evil.example", {"x-forwarded-host": "evil.example"}),  # a name that no one allowed
        ("https://evil.example", {"host": NAME}),
        (f"https://{NAME}:9443", {}),  # another program of the same machine
        ("https://other.example.org", {}),
        (f"https://{NAME}", {"sec-fetch-site": "same-site"}),
        ("null", {}),
    ],
)
def test_pages_of_other_hosts_change_nothing(named: LiveViewer, origin: str, headers: dict[str, str]):
    answer = named.http.patch("/api/annotations/runs", json=CHANGE, headers={"origin": origin} | headers)
    assert answer.status_code == 403
    assert answer.json()["error"]["code"] == "foreign_origin"
    assert named.http.get("/api/annotations").json()["runs"] == {}


def test_the_refusal_of_a_change_names_the_option(viewer: LiveViewer):
    headers = {"origin": f"https://{NAME}:8443", "sec-fetch-site": "same-origin"}
    error = viewer.http.patch("/api/annotations/runs", json=CHANGE, headers=headers).json()["error"]
    assert f"--allow-host {NAME}:8443" in error["remedy"]


def test_only_allowed_origins_may_frame_the_page(tmp_path: Path):
    with running_viewer(tmp_path, tmp_path, "--allow-frame", "http://localhost:*,https://hub.example.org") as live:
        headers = live.http.get("/").headers
    policy = headers["content-security-policy"].split("; ")
    assert set(policy[:-1]) == CONTENT_SECURITY_POLICY - {"frame-ancestors 'self'"}
    assert policy[-1] == "frame-ancestors 'self' http://localhost:* https://hub.example.org"
    assert "x-frame-options" not in headers


def test_without_an_allowed_origin_no_other_site_frames_the_page(viewer: LiveViewer):
    assert viewer.http.get("/").headers["x-frame-options"] == "SAMEORIGIN"


def test_a_viewer_answers_below_its_path_only(tmp_path: Path):
    with running_viewer(tmp_path, tmp_path, "--path-prefix", "/user/a%40b/mindscope") as live:
        assert live.http.get("/user/a@b/mindscope/api/runs").status_code == 200
        assert live.http.get("/user/a%40b/mindscope/api/runs").status_code == 200
        for address in ("/", "/user/a%40b/mindscope"):
            answer = live.http.get(address)
            assert answer.headers["location"] == "/user/a%40b/mindscope/"
            assert "content-security-policy" in answer.headers
        for address in ("/api/runs", "/user/a%40b/mindscopes/", "/user/a%40b/mindscope/../api/runs%00"):
            answer = live.http.get(address)
            assert answer.status_code == 404
        assert "/user/a%40b/mindscope/" in live.http.get("/api/runs").json()["error"]["remedy"]
        assert 'src="../assets/' in live.http.get("/user/a%40b/mindscope/reports/frame").text
        assert 'src="./assets/' in live.http.get("/user/a%40b/mindscope/scalars").text
