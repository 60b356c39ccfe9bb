# SPDX-License-Identifier: Apache-2.0
"""Who may look, who may change something, and what is kept of it."""

from __future__ import annotations

import asyncio
import json
import os
import re
import ssl
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.responses import PlainTextResponse

from mindscope.server.http.access import MOST_WRONG_TOKENS, AccessMiddleware
from mindscope.server.http.proxied import ProxyReports
from mindscope.server.http.rate_limit import MOST_CLIENTS, RateLimit, network_of
from mindscope.server.http.tokens import SESSION_S, Permission, Tokens
from mindscope.settings import Settings

from .live_viewer import GrowingLog, LiveViewer, eventually, free_port, running_viewer

EDITOR, READER = "editor-0123456789abcdef", "reader-0123456789abcdef"
CHANGES = {
    "PUT /api/debugger/compare/pairs",
    "PATCH /api/annotations/runs",
    "PATCH /api/annotations/groups",
    "PUT /api/annotations/thresholds",
    "PUT /api/annotations/pins",
    "PUT /api/annotations/views",
    "PUT /api/annotations/mutes",
    "PUT /api/annotations/targets",
    "PUT /api/annotations/reports",
    "POST /api/runs/delete",
    "POST /api/runs/move",
    "POST /api/sweeps/start",
    "POST /api/sweeps/stop",
}
"""All routes that change something. A new one is refused to readers, and belongs here, unless it is marked to read."""
PROXY = "127.0.0.2"
FOR, PROTO = "x-forwarded-for", "x-forwarded-proto"
PAGE = {"sec-fetch-site": "none", "accept": "text/html"}


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def note(text: str, run: str, version: int = 0) -> dict[str, Any]:
    return {"changes": [{"run": run, "version": version, "note": text}]}


def code_of(answer: httpx.Response) -> str:
    return answer.json()["error"]["code"]


def changes_of(live: LiveViewer) -> list[dict[str, Any]]:
    text = (live.workspace / "log" / f"changes.{live.port}.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def write_tokens(room: Path, *tokens: str) -> str:
    (room / "tokens").write_text("\n".join(tokens) + "\n")
    return str(room / "tokens")


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    """A viewer that other machines reach, below a path, with a proxy that names users."""
    room = tmp_path_factory.mktemp("guarded")
    GrowingLog(room / "logs" / "run").scalar(1, 0.5)
    flags = ["--host", "0.0.0.0", "--token-file", write_tokens(room, EDITOR, READER), "--path-prefix", "/team/"]
    flags += ["--trust-proxy", PROXY, "--allow-delete", "--allow-sweeps"]
    with running_viewer(room / "logs", room, *flags) as live:
        live.http.base_url = httpx.URL(f"http://127.0.0.1:{live.port}/team/")
        eventually(lambda: live.http.get("api/runs", headers=bearer(READER)).json()["runs"])
        yield live


@pytest.mark.parametrize("address", ["api/runs", "api/server", "api/live", "api/annotations", "api/openapi.json"])
def test_without_a_token_the_api_says_nothing(guarded: LiveViewer, address: str):
    answer = guarded.http.get(address)
    assert (answer.status_code, code_of(answer)) == (401, "token_missing")
    assert answer.headers["www-authenticate"] == "Bearer"
    assert str(guarded.workspace.parent) not in answer.text


@pytest.mark.parametrize("address", ["", "scalars?run=run", "reports/deep/down", "assets/index.js"])
def test_without_a_token_each_page_is_the_login(guarded: LiveViewer, address: str):
    answer = guarded.http.get(address)
    assert answer.status_code == 401
    assert 'name="token"' in answer.text
    assert not re.search(r"run\b|assets/|api/", answer.text)
    depth = address.partition("?")[0].count("/")
    assert f'src="{"../" * depth}theme.js"' in answer.text
    assert guarded.http.get("theme.js").status_code == guarded.http.get("mark.svg").status_code == 200


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "token"])
def test_programs_send_the_token_in_a_header(guarded: LiveViewer, scheme: str):
    for token in (EDITOR, READER):
        assert guarded.http.get("api/runs", headers={"authorization": f"{scheme} {token}"}).status_code == 200
    assert guarded.http.get("api/runs", headers={"authorization": f"Basic {EDITOR}"}).status_code == 401


def test_the_token_leaves_the_address_for_a_cookie(guarded: LiveViewer):
    with httpx.Client(base_url=guarded.http.base_url) as browser:
        answer = browser.get(f"scalars?run=a%20b&token={READER}&smoothing=0.9", headers=PAGE)
        assert (answer.status_code, answer.headers["location"]) == (303, "./scalars?run=a%20b&smoothing=0.9")
        cookie, *attributes = answer.headers["set-cookie"].split("; ")
        assert set(attributes) == {"HttpOnly", "SameSite=strict", "Path=/team/", f"Max-Age={SESSION_S}"}
        assert READER not in cookie
        assert cookie.startswith(f"mindscope-{guarded.port}=")
        assert browser.get("api/runs").status_code == 200
        with browser.stream("GET", "api/live") as live:
            assert next(live.iter_text()).startswith("event: hello")
        download = browser.get("api/scalars.csv", params={"run": "run", "tag": "loss"})
        assert "0.5" in download.text
        answer = browser.patch("api/annotations/runs", json=note("x", "run"))
        assert (answer.status_code, code_of(answer)) == (403, "reader_changes")
    log = (guarded.workspace / "log" / f"access.{guarded.port}.log").read_text()
    assert "token=...&smoothing=0.9" in log
    assert not any(
        token in file.read_text() for file in (guarded.workspace / "log").iterdir() for token in (EDITOR, READER)
    )


def test_the_link_of_another_site_works_with_a_strict_cookie(guarded: LiveViewer):
    """A browser sends no strict cookie to what such a link redirects to, but to what its page loads."""
    linked = PAGE | {"sec-fetch-site": "cross-site"}
    answer = httpx.get(f"{guarded.http.base_url}?a='%22<b>&token={EDITOR}", headers=linked)
    assert answer.status_code == 200
    assert EDITOR not in answer.text
    assert re.fullmatch(r'<!doctype html><meta http-equiv="refresh" content="0; url=[^"<>]+">', answer.text)
    assert '<meta http-equiv="refresh" content="0">' in guarded.http.get("scalars", headers=linked).text
    assert 'http-equiv="refresh"' not in guarded.http.get("scalars", headers=PAGE).text


def test_the_form_takes_the_token(guarded: LiveViewer):
    with httpx.Client(base_url=guarded.http.base_url) as browser:
        refused = browser.post("scalars?run=run", data={"token": "wrong-but-long-enough"})
        assert refused.status_code == 401
        assert 'role="alert"' in refused.text
        assert "set-cookie" not in refused.headers
        answer = browser.post("scalars?run=run&token=old", data={"token": f" {EDITOR}\n"})
        assert (answer.status_code, answer.headers["location"]) == (303, "./scalars?run=run")
        assert browser.get("api/server").json()["refusal"] is None
        assert browser.post("scalars", data={"token": "x" * 5000}).status_code == 401


@pytest.mark.parametrize(
    "session",
    ["", ".", "9999999999.", f"9999999999.{'0' * 64}", "9999999999.é", "x.y", f"{'9' * 5000}.{'0' * 64}", EDITOR],
)
def test_a_forged_session_is_none(guarded: LiveViewer, session: str):
    headers = {"cookie": f"mindscope-{guarded.port}={session}".encode()}
    assert guarded.http.get("api/runs", headers=headers).status_code == 401  # pyright: ignore[reportArgumentType]


def test_sessions_end_and_belong_to_their_token():
    tokens = Tokens(EDITOR, READER)
    session = tokens.session(Permission.READ, 1000.0)
    assert tokens.permission_of_session(session, 1001.0) is Permission.READ
    assert tokens.permission_of_session(session, 1001.0 + SESSION_S) is None
    expiry, _, code = session.partition(".")
    assert tokens.permission_of_session(f"{int(expiry) + 1}.{code}", 1001.0) is None
    assert Tokens(EDITOR, "another-0123456789").permission_of_session(session, 1001.0) is None
    assert Tokens(EDITOR).permission_of_session(session, 1001.0) is None
    assert Tokens(READER).permission_of_session(session, 1001.0) is Permission.EDIT
    assert Tokens().permission_of("") is None
    assert Tokens().permission_of_session(".", 0.0) is None


def operations(live: LiveViewer) -> Iterator[tuple[str, str, bool]]:
    document = live.http.get("api/openapi.json", headers=bearer(READER)).json()
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation.get("x-reads", False)


def test_every_route_reads_or_is_refused_to_readers(guarded: LiveViewer):
    """Of every route of the document, by asking: readers may do nothing but read, and may read all."""
    refused: set[str] = set()
    seen = 0
    with httpx.Client(base_url=f"http://127.0.0.1:{guarded.port}/team", headers=bearer(READER), timeout=60) as reader:
        for method, path, is_marked in operations(guarded):
            if path == "/api/live":
                continue
            seen += 1
            answer = reader.request(method, path, json=None if method == "GET" else {})
            assert answer.status_code != 401
            if answer.status_code == 403 and code_of(answer) == "reader_changes":
                assert not is_marked
                refused.add(f"{method} {path}")
            else:
                assert method == "GET" or is_marked
    assert refused == CHANGES
    assert seen > 100
    assert not any(line["permission"] == "read" for line in changes_of(guarded))


def test_only_what_reads_is_marked(guarded: LiveViewer):
    marked = {f"{method} {path}" for method, path, is_marked in operations(guarded) if is_marked}
    assert not marked & CHANGES
    assert all(name.startswith("POST ") for name in marked)


def test_editors_may_change(guarded: LiveViewer):
    answer = guarded.http.patch("api/annotations/runs", json=note("by an editor", "edited"), headers=bearer(EDITOR))
    assert answer.json()["runs"]["edited"]["note"] == "by an editor"
    last = changes_of(guarded)[-1]
    assert last.pop("time").endswith("+00:00")
    assert json.loads(last.pop("what")) == note("by an editor", "edited")
    assert last == {
        "user": "", "permission": "edit", "address": "127.0.0.1", "method": "PATCH", "path": "/api/annotations/runs",
        "status": 200,
    }  # fmt: skip


def test_the_page_is_told_who_may_do_what(guarded: LiveViewer):
    for token, may_edit in ((EDITOR, True), (READER, False)):
        server = guarded.http.get("api/server", headers=bearer(token)).json()
        known = guarded.http.get("api/annotations", headers=bearer(token)).json()
        assert server["allow_delete"] == known["is_writable"] == may_edit
        assert guarded.http.get("api/sweeps", headers=bearer(token)).json()["allow_sweeps"] == may_edit
        assert [one and one["code"] for one in (server["refusal"], known["problem"])] == [
            None if may_edit else "reader_changes"
        ] * 2


@pytest.fixture
def proxy(guarded: LiveViewer) -> Iterator[httpx.Client]:
    """Requests from the address of the trusted proxy."""
    transport = httpx.HTTPTransport(local_address=PROXY)
    with httpx.Client(base_url=guarded.http.base_url, transport=transport, timeout=60) as client:
        yield client


def test_a_trusted_proxy_names_the_author(guarded: LiveViewer, proxy: httpx.Client):
    ann = {"x-forwarded-user": "安 ann@example.org".encode(), "x-forwarded-for": b"6.6.6.6, 203.0.113.9"}
    written = proxy.patch("api/annotations/runs", json=note("a", "named"), headers=ann)  # pyright: ignore[reportArgumentType]
    record = written.json()["runs"]["named"]
    assert (record["note"], record["note_author"]) == ("a", "安 ann@example.org")
    last = changes_of(guarded)[-1]
    assert (last["user"], last["address"]) == ("安 ann@example.org", "203.0.113.9")
    color = {"changes": [{"run": "named", "version": record["version"], "color": "3"}]}
    record = guarded.http.patch("api/annotations/runs", json=color, headers=bearer(EDITOR)).json()["runs"]["named"]
    assert record["note_author"] == "安 ann@example.org"  # who chose the color wrote no note
    unnamed = note("b", "named", record["version"])
    record = guarded.http.patch("api/annotations/runs", json=unnamed, headers=bearer(EDITOR)).json()["runs"]["named"]
    assert record["note_author"] == ""
    report: dict[str, Any] = {"id": "r", "version": 0, "report": {"title": "t", "blocks": []}}
    answer = proxy.put("api/annotations/reports", json=report, headers={"x-forwarded-user": "bob"})
    assert answer.json()["reports"]["r"]["author"] == "bob"
    forged: dict[str, Any] = {
        "id": "r",
        "version": answer.json()["revision"],
        "report": {"title": "t", "blocks": [], "author": "eve"},
    }
    answer = proxy.put("api/annotations/reports", json=forged, headers={"x-forwarded-user": "bob"})
    assert answer.json()["reports"]["r"]["author"] == "bob"


def test_nobody_else_names_a_user(guarded: LiveViewer, proxy: httpx.Client):
    assert guarded.http.get("api/server", headers={"x-forwarded-user": "eve"}).status_code == 401
    server = guarded.http.get("api/server", headers={"x-forwarded-user": "eve"} | bearer(READER)).json()
    assert server["user"] == ""
    assert proxy.get("api/server").status_code == 401
    twice = [("x-forwarded-user", "eve"), ("x-forwarded-user", "ann")]
    assert proxy.get("api/server", headers=twice).status_code == 401
    assert proxy.get("api/server", headers={"x-forwarded-user": "a" * 201}).status_code == 401
    weaker = proxy.get("api/server", headers={"x-forwarded-user": "ann"} | bearer(READER)).json()
    assert (weaker["user"], weaker["refusal"]["code"]) == ("ann", "reader_changes")


@pytest.mark.parametrize(
    ("peer", "headers", "want"),
    [
        ("10.0.0.5", {FOR: "1.1.1.1, 2.2.2.2, 10.9.9.9", "remote-user": "ann"}, ("2.2.2.2", "ann", False)),
        ("::ffff:10.0.0.5", {"remote-user": "ann", PROTO: "https"}, ("::ffff:10.0.0.5", "ann", True)),
        ("192.0.2.1", {FOR: "1.1.1.1", "remote-user": "eve", PROTO: "https"}, ("192.0.2.1", "", False)),
        ("10.0.0.5", {FOR: "10.0.0.7", "remote-user": " "}, ("10.0.0.7", "", False)),
        ("10.0.0.5", {"remote-user": "a\nb"}, ("10.0.0.5", "", False)),
        ("10.0.0.5", {"x-forwarded-user": "eve"}, ("10.0.0.5", "", False)),
    ],
)  # fmt: skip
def test_reports_of_proxies(peer: str, headers: dict[str, str], want: tuple[str, str, bool]):
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "client": (peer, 1), "scheme": "http", "headers": raw}
    assert ProxyReports(["10.0.0.0/8"], "remote-user").client_of(scope) == want


def test_a_limit_of_requests_refills():
    limit = RateLimit(burst=3, per_second=0.5)
    assert [limit.take("a", 0.0) for _ in range(4)] == [0, 0, 0, 2]
    assert limit.take("b", 0.0) == 0
    assert limit.take("a", 1.0) == 1
    assert limit.take("a", 2.0) == 0
    assert [limit.take("a", 1000.0) for _ in range(4)] == [0, 0, 0, 2]
    assert limit.take("a", 0.0) == 2  # a clock that goes back
    for client in range(MOST_CLIENTS):
        limit.take(str(client), 1000.0)
    assert limit.take("a", 1000.0) == 0  # forgotten, because memory is bounded


def test_a_customer_with_many_addresses_is_one_client():
    assert network_of("2001:db8::1") == network_of("2001:db8::ffff:1") != network_of("2001:db8:1::1")
    assert network_of("::ffff:192.0.2.1") == network_of("192.0.2.1") != network_of("192.0.2.2")
    assert network_of("fe80::1%eth0") == "fe80::/64"
    assert network_of("::1") == "::/64"
    assert network_of("") == ""


def test_wrong_tokens_are_slowed(guarded: LiveViewer):
    transport = httpx.HTTPTransport(local_address="127.0.0.9")
    with httpx.Client(base_url=guarded.http.base_url, transport=transport, timeout=60) as eve:
        eve.get(f"?token={READER}", headers=PAGE)
        answers = [eve.get("api/runs", headers=bearer("wrong")) for _ in range(MOST_WRONG_TOKENS + 1)]
        assert [answer.status_code for answer in answers] == [401] * MOST_WRONG_TOKENS + [429]
        assert code_of(answers[-1]) == "token_too_often"
        assert 1 <= int(answers[-1].headers["retry-after"]) <= 5
        assert eve.get("api/runs", headers=bearer(READER)).status_code == 429  # or guesses would go on
        slowed = eve.post("", data={"token": EDITOR})
        assert (slowed.status_code, "set-cookie" in slowed.headers) == (429, False)
        assert int(slowed.headers["retry-after"]) >= 1
        assert eve.get("api/runs").status_code == 200
    assert guarded.http.get("api/runs", headers=bearer(READER)).status_code == 200  # of another client


@pytest.mark.parametrize(("settings", "most"), [(Settings(), 9), (Settings(host="0.0.0.0", no_token=True), 3)])
def test_floods_are_slowed_where_others_reach_the_viewer(settings: Settings, most: int):
    app = AccessMiddleware(PlainTextResponse("answered"), settings, RateLimit(burst=3, per_second=0.001))

    async def flood() -> list[httpx.Response]:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
            return [await client.get("/api/runs") for _ in range(9)]

    answers = asyncio.run(flood())
    assert [answer.status_code for answer in answers] == [200] * most + [429] * (9 - most)
    for refused in answers[most:]:
        assert code_of(refused) == "too_many_requests"
        assert 900 < int(refused.headers["retry-after"]) <= 1000


def test_this_machine_needs_no_token(tmp_path: Path):
    with running_viewer(tmp_path, tmp_path, "--host", "127.0.0.1") as live:
        assert live.http.get("/api/server").json()["refusal"] is None
        answer = live.http.get("/scalars?token=of-an-old-link", headers=PAGE)
        assert (answer.status_code, answer.headers["location"]) == (303, "./scalars")
        live.http.patch("/api/annotations/runs", json=note("x", "run"))
        assert [line["address"] for line in changes_of(live)] == ["127.0.0.1"]


def test_a_read_only_viewer_refuses_every_change(tmp_path: Path):
    with running_viewer(tmp_path, tmp_path, "--read-only", "--allow-delete") as live:
        for name in CHANGES:
            method, _, path = name.partition(" ")
            answer = live.http.request(method, path, json={})
            assert (answer.status_code, code_of(answer)) == (403, "viewer_read_only")
        server = live.http.get("/api/server").json()
        assert (server["allow_delete"], server["refusal"]["code"]) == (False, "viewer_read_only")
        assert live.http.post("/api/tags", json={"runs": [], "kind": "scalar"}).status_code == 200


def openssl(*arguments: str) -> None:
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)


@pytest.fixture(scope="module")
def pem(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of 127.0.0.1 and its key, another key, and one with a password."""
    room = tmp_path_factory.mktemp("pem")
    for name in ("key", "other"):
        openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", str(room / name))
    openssl(
        "req", "-x509", "-key", str(room / "key"), "-out", str(room / "certificate"), "-days", "2", "-subj", "/CN=v",
        "-addext", "subjectAltName=IP:127.0.0.1",
    )  # fmt: skip
    openssl("pkey", "-in", str(room / "key"), "-aes256", "-passout", "pass:secret", "-out", str(room / "locked"))
    (room / "both").write_text((room / "key").read_text() + (room / "certificate").read_text())
    return room


def test_the_viewer_serves_https(tmp_path: Path, pem: Path):
    flags = ("--certificate", str(pem / "certificate"), "--key", str(pem / "key"))
    flags += ("--token-file", write_tokens(tmp_path, EDITOR))
    with running_viewer(tmp_path, tmp_path, *flags) as live:
        trust = ssl.create_default_context(cafile=pem / "certificate")
        with httpx.Client(base_url=f"https://127.0.0.1:{live.port}", verify=trust, timeout=60) as http:
            assert http.get("/api/server", headers=bearer(EDITOR)).status_code == 200
            assert "Secure" in http.get(f"/?token={EDITOR}", headers=PAGE).headers["set-cookie"]
            origin = {"origin": f"https://127.0.0.1:{live.port}", "sec-fetch-site": "same-origin"}
            assert http.patch("/api/annotations/runs", json=note("x", "r"), headers=origin).status_code == 200
        record = next((tmp_path / "state").rglob("*.json"))
        assert json.loads(record.read_text())["scheme"] == "https"
        with pytest.raises(httpx.TransportError):
            live.http.get("/")


def start(room: Path, *flags: str, **environment: str) -> subprocess.CompletedProcess[str]:
    from .viewer_process import run_forked

    variables = os.environ | {"XDG_STATE_HOME": str(room / "state"), "HOME": str(room), "COLUMNS": "300"} | environment
    return run_forked(["start", *flags], variables, room)


@pytest.mark.parametrize(
    ("certificate", "key", "says"),
    [
        ("missing", None, "--certificate {pem}/missing: No such file or directory"),
        ("certificate", "missing", "--key {pem}/missing: No such file or directory"),
        ("certificate", "other", "the key in {pem}/other is not that of the certificate in {pem}/certificate"),
        ("certificate", "locked", "the key in {pem}/locked has a password"),
        ("certificate", None, "give the key with --key"),
        ("key", "key", "have no certificate and its key in PEM"),
    ],
)
def test_wrong_files_of_tls_are_named(tmp_path: Path, pem: Path, certificate: str, key: str | None, says: str):
    flags = ["--certificate", str(pem / certificate), *([] if key is None else ["--key", str(pem / key)])]
    refused = start(tmp_path, "--foreground", "--port", str(free_port()), *flags)
    assert refused.returncode == 1
    assert says.format(pem=pem) in refused.stderr
    assert len(refused.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("flags", "variables", "says"),
    [
        (["--no-token", "--require-token"], {}, "--no-token contradicts"),
        (["--no-token"], {"MINDSCOPE_TOKEN": EDITOR}, "--no-token contradicts"),
        (["--token-file", "none"], {"MINDSCOPE_TOKEN": EDITOR}, "leave out one"),
        (["--token-file", "none"], {}, "No such file or directory"),
        ([], {"MINDSCOPE_TOKEN": EDITOR, "MINDSCOPE_READER_TOKEN": EDITOR}, "are the same"),
        ([], {"MINDSCOPE_TOKEN": "secret-1"}, "environment variable MINDSCOPE_TOKEN is not a token: want 16 to 200"),
        (["--key", "key"], {}, "add --certificate"),
        (["--trust-proxy", "proxy"], {}, "addresses or networks"),
        (["--trust-proxy", "10.0.0.1/8"], {}, "addresses or networks"),
        (["--user-header", "a b"], {}, "the name of a header"),
    ],
)
def test_wrong_settings_are_named(tmp_path: Path, flags: list[str], variables: dict[str, str], says: str):
    refused = start(tmp_path, "--foreground", "--port", str(free_port()), *flags, **variables)
    assert refused.returncode != 0
    assert says in refused.stderr
    assert not set(variables.values()) & set(re.findall(r"[\w-]+", refused.stderr))


@pytest.mark.parametrize("lines", [[""], [EDITOR, EDITOR], ["short"], ["\xff" * 20]])
def test_wrong_token_files_are_named(tmp_path: Path, lines: list[str]):
    (tmp_path / "tokens").write_bytes("\n".join(lines).encode("latin-1"))
    refused = start(tmp_path, "--foreground", "--port", str(free_port()), "--token-file", "tokens")
    assert refused.returncode == 1
    assert str(tmp_path / "tokens") in refused.stderr
    assert not any(line in refused.stderr for line in lines if line)


def test_a_start_prints_random_links_once_and_hides_the_tokens(tmp_path: Path):
    port = str(free_port())
    started = start(tmp_path, "--host", "0.0.0.0", "--port", port)
    try:
        links = dict(re.findall(r"^(to edit|to read): +(http\S+)$", started.stdout, re.MULTILINE))
        tokens = {purpose: link.partition("/?token=")[2] for purpose, link in links.items()}
        assert set(tokens) == {"to edit", "to read"}
        assert started.stderr == ""
        address = f"http://127.0.0.1:{port}/api/server"
        server = httpx.get(address, headers=bearer(tokens["to edit"]), timeout=60).json()
        assert server["refusal"] is None
        assert httpx.get(address, headers=bearer(tokens["to read"]), timeout=60).json()["refusal"]
        command = Path(f"/proc/{server['pid']}/cmdline").read_bytes().decode()
        files = [file for file in tmp_path.rglob("*") if file.is_file()]
        holding = [file for file in files if any(token.encode() in file.read_bytes() for token in tokens.values())]
        assert not any(token in command for token in tokens.values())
        (record,) = holding  # which `status --links` reads
        assert stat.S_IMODE(record.stat().st_mode) == 0o600
        assert json.loads(record.read_text())["token"] == tokens["to edit"]
    finally:
        from .viewer_process import run_forked

        environment = os.environ | {"XDG_STATE_HOME": str(tmp_path / "state")}
        listed = run_forked(["status"], environment, tmp_path).stdout
        with_links = run_forked(["status", "--links"], environment, tmp_path).stdout
        run_forked(["stop", "--port", port], environment, tmp_path)
    assert not any(token in listed for token in tokens.values())
    assert all(link in with_links for link in links.values())


def test_a_session_survives_a_restart_with_the_same_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MINDSCOPE_TOKEN", EDITOR)
    port = free_port()
    with running_viewer(tmp_path, tmp_path, port=port) as live:
        live.http.get(f"/?token={EDITOR}", headers=PAGE)
        cookies = live.http.cookies
    with running_viewer(tmp_path, tmp_path, port=port) as live:
        live.http.cookies = cookies
        assert live.http.get("/api/runs").status_code == 200
        assert live.http.get("/api/runs", headers=bearer(EDITOR)).status_code == 200
    monkeypatch.setenv("MINDSCOPE_TOKEN", "another-0123456789")
    with running_viewer(tmp_path, tmp_path, port=port) as live:
        live.http.cookies = cookies
        assert live.http.get("/api/runs").status_code == 401
