# SPDX-License-Identifier: Apache-2.0
"""The page of a viewer that asks for a token: the login, what readers see, and nginx that names the user."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from mindscope.server.http.access import MOST_REQUESTS
from tests.server.live_viewer import GrowingLog, LiveViewer, eventually, free_port, running_viewer

from .chromium import new_context
from .nginx import nginx
from .overflow import unreachable
from .page_watch import PageWatch
from .scalars_page import card, wait_until_drawn

EDITOR, READER = "editor-0123456789abcdef", "reader-0123456789abcdef"
PROXY = """
    proxy_pass http://127.0.0.1:{port};
    proxy_set_header Host $http_host;
    proxy_set_header X-Forwarded-For $remote_addr;
    proxy_set_header X-Forwarded-User $http_x_test_user;
"""
"""The test tells nginx the user, whom a login of the proxy tells in earnest."""


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    room = tmp_path_factory.mktemp("access")
    for run in ("a", "b"):
        log = GrowingLog(room / "logs" / run)
        for tag in range(40):
            log.scalar(1, 0.125, f"tag/{tag}")
    (room / "tokens").write_text(f"{EDITOR}\n{READER}\n")
    flags = ("--require-token", "--token-file", str(room / "tokens"), "--path-prefix", "/team/", "--allow-delete")
    with running_viewer(room / "logs", room, *flags, "--trust-proxy", "127.0.0.2") as live:
        yield live


@pytest.fixture
def base(guarded: LiveViewer) -> str:
    return f"http://127.0.0.1:{guarded.port}/team/"


@pytest.fixture
def page(context: BrowserContext, base: str) -> Iterator[Page]:
    """A page in a context without a session; the refusals of the login are in its console."""
    complaints: list[str] = []
    page = context.new_page()
    PageWatch(page, base, complaints)
    yield page
    assert [text for text in complaints if "401 (Unauthorized)" not in text] == []


def test_the_login_asks_for_the_token_and_leads_on(page: Page, base: str):
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url.removeprefix(base)))
    page.goto(f"{base}scalars?runs=all&smoothing=0.5")
    expect(page.get_by_label("Token")).to_be_focused()
    assert requests[0] == "scalars?runs=all&smoothing=0.5"
    assert set(requests[1:]) <= {"theme.js", "mark.svg"}  # no data, and no code of the page
    page.get_by_label("Token").fill("wrong-token-0123456789")
    page.get_by_role("button", name="Open").click()
    expect(page.get_by_role("alert")).to_have_text("This is not a token of this viewer.", use_inner_text=True)
    page.get_by_label("Token").fill(READER)
    page.get_by_label("Token").press("Enter")
    wait_until_drawn(card(page, "tag/0"))
    assert page.url == f"{base}scalars?runs=all&smoothing=0.5"
    assert page.evaluate("document.cookie") == ""  # scripts can't read it
    assert READER not in page.content()
    assert READER not in page.evaluate("JSON.stringify([history.state, location.href, document.referrer])")


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1440])
def test_the_login_fits(browser: Browser, base: str, language: str, theme: str, width: int):
    with browser.new_context(
        locale={"en": "en-GB", "zh": "zh-CN"}[language],
        color_scheme=theme,  # pyright: ignore[reportArgumentType]
        viewport={"width": width, "height": 800},
    ) as context:
        page = context.new_page()
        page.goto(f"{base}reports/deep/down")
        expect(page.get_by_text({"en": "Token", "zh": "令牌"}[language], exact=True)).to_be_visible()
        expect(page.get_by_text("This viewer asks")).to_be_visible(visible=language == "en")
        expect(page.get_by_role("button")).to_have_text({"en": "Open", "zh": "打开"}[language], use_inner_text=True)
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == {
            "light": "rgb(246, 247, 249)", "dark": "rgb(17, 19, 24)",
        }[theme]  # fmt: skip
        assert unreachable(page) == []


def test_the_login_follows_the_settings_of_the_page(page: Page, base: str):
    page.goto(base)
    page.evaluate("""localStorage.setItem("mindscope.settings", '{"theme": "dark", "language": "zh"}')""")
    page.reload()
    expect(page.get_by_text("令牌", exact=True)).to_be_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(17, 19, 24)"


def test_the_link_of_another_site_opens_the_viewer(context: BrowserContext, base: str):
    """Another site sends no strict cookie with its links."""
    page = context.new_page()
    other = base.replace("127.0.0.1", "localhost")
    page.goto(f"{base}?token={READER}")
    expect(page.get_by_test_id("runs-table")).to_be_visible()
    assert page.url == base
    for link in (f"{other}scalars?token={READER}", f"{other}scalars"):
        page.evaluate("(link) => { location.href = link; }", link)
        wait_until_drawn(card(page, "tag/0"))
        assert page.url == f"{other}scalars"
        page.goto(base)


def test_readers_see_why_they_change_nothing(page: Page, base: str):
    page.goto(f"{base}?token={READER}")
    expect(page.get_by_test_id("read-only")).to_have_attribute("title", "You can only look: changes need the link of "
        "editors. Ask the person who started the viewer for this link.")  # fmt: skip
    page.goto(f"{base}?details=a")
    expect(page.get_by_test_id("run-note")).to_be_disabled()
    expect(page.get_by_test_id("annotations-warning")).to_have_count(0)
    expect(page.get_by_test_id("delete")).to_have_count(0)
    page.goto(f"{base}scalars")
    wait_until_drawn(card(page, "tag/0"))
    expect(card(page, "tag/0").get_by_test_id("pin")).to_be_disabled()
    for color in page.locator("button.picker").all():
        expect(color).to_be_disabled()
    page.goto(f"{base}reports")
    expect(page.get_by_test_id("no-reports")).to_be_visible()
    expect(page.get_by_test_id("new-report")).to_have_count(0)


def test_editors_change_notes(page: Page, base: str, guarded: LiveViewer):
    page.goto(f"{base}?token={EDITOR}&details=a")
    page.get_by_test_id("run-note").fill("of an editor")
    page.get_by_test_id("run-note").blur()
    headers = {"authorization": f"Bearer {READER}"}
    notes = f"{base}api/annotations"
    eventually(
        lambda: guarded.http.get(notes, headers=headers).json()["runs"].get("a", {}).get("note") == "of an editor"
    )
    expect(page.get_by_test_id("read-only")).to_have_count(0)
    expect(page.get_by_test_id("note-author")).to_have_count(0)


def test_one_page_stays_far_below_the_limit(page: Page, base: str):
    """The heaviest journey: every page after the other, as fast as the browser can, without a cache of its own."""
    page.goto(f"{base}?token={EDITOR}")
    count = 0

    def add(_: object) -> None:
        nonlocal count
        count += 1

    page.on("request", add)
    hrefs = page.get_by_role("navigation").first.get_by_role("link").evaluate_all("all => all.map((one) => one.href)")
    assert len(hrefs) > 5
    for href in hrefs:
        page.goto(href)
        expect(page.locator("main")).not_to_be_empty()
    assert len(hrefs) < count < MOST_REQUESTS / 2


def test_nginx_names_the_user_below_a_path(tmp_path: Path, browser: Browser):
    """Without a user from the proxy the page asks for the token."""
    GrowingLog(tmp_path / "logs" / "a").scalar(1, 0.5)
    name = f"viewer.example.org:{(port := free_port())}"
    flags = ("--require-token", "--trust-proxy", "127.0.0.1", "--path-prefix", "/team/", "--allow-host", name)
    with (
        running_viewer(tmp_path / "logs", tmp_path, *flags) as live,
        nginx(tmp_path / "nginx", "/team/", PROXY.format(port=live.port), port),
        new_context(browser) as context,
    ):
        base = f"http://127.0.0.1:{port}/team/"
        page = context.new_page()
        page.goto(base)
        expect(page.get_by_label("Token")).to_be_visible()  # the proxy names no user
        context.set_extra_http_headers({"X-Test-User": "ann"})
        page.goto(f"{base}?details=a")
        page.get_by_test_id("run-note").fill("of ann")
        page.get_by_test_id("run-note").blur()
        expect(page.get_by_test_id("note-author")).to_have_text("Written by ann")
        line = (tmp_path / "workspace" / "log" / f"changes.{live.port}.jsonl").read_text()
        assert '"user": "ann"' in line
