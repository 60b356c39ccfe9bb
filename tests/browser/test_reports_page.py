# SPDX-License-Identifier: Apache-2.0
"""Reports: cards of pages are added, arranged, pinned and shared, and a report is read as a file without a network."""

from __future__ import annotations

import io
import json
import shutil
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, expect
from pypdf import PdfReader

from mindscope import SummaryRecord
from tests.browser.test_accessibility import serious
from tests.server.live_viewer import DATA, GrowingLog, LiveViewer, eventually, running_viewer

OpenPage = Callable[[LiveViewer, str], Page]
RUN = "tensorboard/tb_all/run_a"
QUERY = "run=tensorboard%2Ftb_all%2Frun_a"
TEXT = "# Why Adam\n\nThe **loss** falls.\n\n<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    """A viewer over the real logs with a workspace of its own."""
    with running_viewer(DATA, tmp_path_factory.mktemp("reports")) as live:
        eventually(lambda: len(live.runs()) > 20 and all(run["tags"] for run in live.runs().values()))
        yield live


@pytest.fixture
def growing(tmp_path: Path) -> Iterator[tuple[LiveViewer, GrowingLog]]:
    GrowingLog(tmp_path / "logs" / "stays").scalar(1, 0.5)
    log = GrowingLog(tmp_path / "logs" / "run")
    for step in range(1, 11):
        log.scalar(step, 1 / step)
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: live.runs().get("run", {}).get("tags"))
        yield live, log


def reports(live: LiveViewer) -> dict[str, dict[str, Any]]:
    return live.http.get("/api/annotations").json()["reports"]


def block(**fields: Any) -> dict[str, Any]:
    return {"text": "", "address": None, "card": None, "pinned": None, "is_half": False, **fields}


def put(live: LiveViewer, id: str, *blocks: dict[str, Any]) -> str:
    """Writes a report; returns its address."""
    numbered = [{"id": str(number), **one} for number, one in enumerate(blocks)]
    version = reports(live).get(id, {"version": 0})["version"]
    report = {"title": f"The {id}", "blocks": numbered}
    live.http.put("/api/annotations/reports", json={"id": id, "version": version, "report": report}).raise_for_status()
    return f"/reports?report={id}"


def add(scope: Locator, choice: str = "new") -> None:
    """Adds a card, or a page, to a report. A card makes its buttons when the pointer is on it."""
    button = scope.get_by_test_id("add-to-report")

    def is_made() -> bool:
        scope.page.mouse.move(0, 0)
        scope.hover()
        return button.count() > 0

    eventually(is_made)
    button.click()
    chosen = scope.page.locator(":popover-open [data-testid^='add-to-report-']")
    (chosen.last if choice == "new" else chosen.first).click()
    expect(scope.page.get_by_test_id("report-added")).to_contain_text("Added to")


def whole(page: Page) -> Locator:
    """Scrolls through a report until all of its cards were read; returns its blocks."""
    found = page.get_by_test_id("report-block")
    expect(found.first).to_be_visible()
    for one in found.all():
        one.scroll_into_view_if_needed()
        for cards in one.get_by_test_id("report-cards").all():
            expect(cards).to_have_attribute("data-state", "read")
    return found


def are_beside(left: Locator, right: Locator) -> bool:
    one, other = left.bounding_box(), right.bounding_box()
    return one is not None and other is not None and abs(one["y"] - other["y"]) < 1 and one["x"] < other["x"]


def names(page: Page) -> list[str]:
    return [one.get_attribute("aria-label") or "" for one in page.get_by_test_id("report-block").all()]


def test_cards_of_pages_become_a_report_that_is_arranged(room: LiveViewer, open_page: OpenPage):
    page = open_page(room, f"/scalars?{QUERY}&smoothing=0.5")
    add(page.get_by_role("article", name="loss/train", exact=True))
    for address, tag in ((f"/images?{QUERY}", "batch"), (f"/histograms?{QUERY}", "weights/fc1")):
        page.goto(f"http://127.0.0.1:{room.port}{address}")
        add(page.get_by_role("article", name=tag, exact=True).first, "newest")
    page.goto(f"http://127.0.0.1:{room.port}/?{QUERY}&rows=selected")
    expect(page.get_by_test_id("save-view")).to_be_enabled()
    add(page.get_by_role("main"), "newest")
    page.get_by_test_id("report-open").click()
    blocks = whole(page)
    expect(blocks).to_have_count(4)
    expect(blocks.nth(0)).to_contain_text("loss/train")
    expect(blocks.nth(0)).to_contain_text("0.00374400")
    expect(blocks.nth(1).get_by_role("img")).to_have_count(1)
    expect(blocks.nth(2)).to_contain_text("10 steps")
    expect(blocks.nth(3).get_by_role("row").filter(has_text=RUN)).to_be_visible()
    blocks.nth(0).get_by_role("img").press("ArrowLeft")
    expect(blocks.nth(0).locator(".tip")).to_contain_text("Step 299")

    first, second, *_ = names(page)
    blocks.nth(1).get_by_test_id("move-up").press("Enter")
    eventually(lambda: names(page)[:2] == [second, first])
    expect(blocks.nth(0)).to_be_focused()
    page.keyboard.press("Alt+ArrowDown")
    eventually(lambda: names(page)[:2] == [first, second])
    blocks.nth(1).press("Alt+ArrowUp")
    eventually(lambda: names(page)[:2] == [second, first])
    blocks.nth(0).get_by_test_id("half").click()
    blocks.nth(1).get_by_test_id("half").click()
    eventually(lambda: are_beside(blocks.nth(0), blocks.nth(1)))
    blocks.nth(1).hover()
    blocks.nth(1).get_by_test_id("drag").drag_to(blocks.nth(0), target_position={"x": 20, "y": 60})
    eventually(lambda: names(page)[:2] == [first, second])

    page.get_by_test_id("report-title").fill("Weekly")
    page.get_by_test_id("report-title").press("Enter")
    page.get_by_test_id("add-text").click()
    page.get_by_test_id("text-field").fill(TEXT)
    page.get_by_test_id("text-field").press("Control+Enter")
    expect(page.get_by_test_id("report-text").get_by_role("heading", name="Why Adam")).to_be_visible()
    eventually(lambda: [one["title"] for one in reports(room).values()] == ["Weekly"])
    other = open_page(room, page.url.removeprefix(f"http://127.0.0.1:{room.port}"))
    expect(whole(other)).to_have_count(5)
    expect(other.get_by_text("onerror=alert(1)")).to_be_visible()
    assert serious(other) == []


def test_reports_are_listed_renamed_duplicated_and_deleted(growing: tuple[LiveViewer, GrowingLog], open_page: OpenPage):
    live, _ = growing
    page = open_page(live, "/reports")
    heading = page.get_by_role("heading", level=1, name="Reports")
    expect(page.get_by_test_id("no-reports")).to_contain_text("No reports yet")
    assert heading.bounding_box()["height"] > 10  # type: ignore[index]
    page.get_by_test_id("new-report").click()
    expect(page.get_by_test_id("empty-report")).to_be_visible()
    page.get_by_test_id("all-reports").click()
    page.get_by_role("button", name="Rename Untitled report").click()
    page.get_by_test_id("rename-field").fill("One")
    page.get_by_test_id("rename-field").press("Enter")
    page.get_by_role("button", name="Duplicate One").click()
    expect(page.get_by_test_id("report-row")).to_have_count(2)
    page.get_by_role("button", name="Delete One", exact=True).click()
    expect(page.get_by_test_id("report-row")).to_have_count(1)
    page.get_by_test_id("undo-delete").click()
    expect(page.get_by_role("link", name="One", exact=True)).to_be_visible()
    page.get_by_role("link", name="One (copy)").click()
    expect(page.get_by_test_id("report-title")).to_have_value("One (copy)")
    page.go_back()
    expect(page.get_by_test_id("reports")).to_be_visible()
    gone = open_page(live, "/reports?report=nobody")
    expect(gone.get_by_test_id("report-missing")).to_be_visible()


def test_a_pinned_block_keeps_its_data_and_says_when_they_are_gone(
    growing: tuple[LiveViewer, GrowingLog], open_page: OpenPage
):
    live, log = growing
    address = "/scalars?run=run&full=loss"
    page = open_page(live, put(live, "pins", block(address=address), block(address=address)))
    live_block, pinned = whole(page).all()
    pinned.hover()
    pinned.get_by_test_id("pin-block").click()
    expect(pinned.get_by_test_id("pinned")).to_be_visible()
    for step in range(11, 31):
        log.scalar(step, 7.5)
    expect(live_block.get_by_role("row").last).to_contain_text("7.50000")
    expect(live_block.get_by_role("row").last).to_contain_text("30")
    page.reload()
    expect(whole(page).nth(1).get_by_role("row").last).to_contain_text("0.100000")
    assert [text for text in pinned.get_by_role("row").last.all_inner_texts() if "7.5" in text] == []
    shutil.rmtree(log.path.parent)
    for one in (live_block, pinned):
        expect(one.get_by_test_id("runs-gone")).to_contain_text("run")


def test_a_card_that_no_page_has_says_so(growing: tuple[LiveViewer, GrowingLog], open_page: OpenPage):
    live, _ = growing
    card = {"title": "other", "run": "run"}
    page = open_page(
        live, put(live, "gone", block(address="/images?run=run", card=card), block(address="/scalars?run=run"))
    )
    expect(page.get_by_test_id("block-problem")).to_contain_text("/images?run=run has no such card")
    expect(page.get_by_test_id("report-cards").nth(1)).to_have_attribute("data-state", "read")


def test_readers_without_a_writable_workspace_change_nothing(tmp_path: Path, open_page: OpenPage):
    GrowingLog(tmp_path / "logs" / "run").scalar(1, 0.5)
    (tmp_path / "workspace" / "annotations.sqlite3").mkdir(parents=True)
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        page = open_page(live, "/scalars")
        expect(page.get_by_role("article", name="loss")).to_be_visible()
        expect(page.get_by_test_id("add-to-report")).to_have_count(0)
        page.get_by_role("link", name="Reports").click()
        expect(page.get_by_test_id("no-reports")).to_contain_text("read-only")
        expect(page.get_by_test_id("new-report")).to_have_count(0)


def test_reports_open_without_a_run(tmp_path: Path, open_page: OpenPage):
    (tmp_path / "logs").mkdir()
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        page = open_page(live, put(live, "empty", block(text="# Plan")))
        expect(page.get_by_test_id("report-block").get_by_role("heading", name="Plan")).to_be_visible()
        page.get_by_role("navigation").get_by_role("link", name="Scalars").click()
        expect(page.get_by_role("main")).to_contain_text("No runs in")


def test_findings_and_messages_of_logs_are_cards(tmp_path: Path, open_page: OpenPage):
    with SummaryRecord(tmp_path / "logs" / "failed") as record:
        record.add_value("scalar", "loss", 1.0)
        record.record(7)
    lines = "step 7\nTraceback (most recent call last):\n  File \"train.py\", line 3, in <module>\nKeyError: 'rate'\n"
    (tmp_path / "logs" / "failed" / "train.log").write_text(lines)
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: live.runs().get("failed", {}).get("tags"))
        page = open_page(live, "/debugger?run=failed")
        expect(page.get_by_test_id("findings")).to_contain_text("KeyError")
        expect(page.get_by_test_id("save-view")).to_be_enabled()
        add(page.get_by_test_id("findings"))
        page.goto(f"http://127.0.0.1:{live.port}/logs?run=failed")
        expect(page.get_by_test_id("log-details")).to_contain_text("KeyError: 'rate'")
        add(page.get_by_test_id("log-details"), "newest")
        page.get_by_test_id("report-added-close").click()
        add(page.get_by_test_id("logs-toolbar"), "newest")
        page.get_by_test_id("report-open").click()
        findings, message, log = whole(page).all()
        expect(findings.get_by_role("heading", name="KeyError: 'rate'")).to_be_visible()
        expect(findings).to_contain_text("Traceback (most recent call last):")
        expect(message).to_contain_text("train.log")
        expect(message.locator("pre")).to_contain_text("KeyError: 'rate'")
        expect(message).not_to_contain_text("step 7")
        expect(log).to_contain_text("step 7")
        assert serious(page) == []


def test_a_report_is_a_file_a_print_and_markdown(
    room: LiveViewer, open_page: OpenPage, browser: Browser, complaints: list[str], tmp_path: Path
):
    address = put(
        room,
        "whole",
        block(text=TEXT),
        block(address=f"/scalars?{QUERY}&full=loss%2Ftrain"),
        block(address=f"/scalars?{QUERY}&full=lr", is_half=True),
        block(address=f"/images?{QUERY}", card={"title": "batch", "run": RUN}, is_half=True),
        block(address=f"/?{QUERY}&rows=selected"),
        block(address=f"/graph?{QUERY}"),
        block(address="/landscape?run=mindspore%2Flandscape%2Funit_epoch"),
        block(address=f"/dashboard?{QUERY}&dashboard=tensorboard%2Ftb_all%2Frun_a"),
    )
    page = open_page(room, address)
    expect(page.get_by_test_id("report")).to_be_visible()

    file = saved(page, "html", tmp_path)
    context = browser.new_context(viewport={"width": 390, "height": 844}, offline=True)
    alone = context.new_page()
    alone.on("console", lambda message: complaints.append(message.text))
    alone.on("request", lambda request: request.url.startswith(("file:", "data:")) or complaints.append(request.url))
    alone.goto(file.as_uri())
    expect(alone.get_by_role("heading", name="The whole")).to_be_visible()
    expect(alone.get_by_role("heading", name="Why Adam")).to_be_visible()
    expect(alone.get_by_role("figure")).to_have_count(11)
    assert alone.evaluate("document.documentElement.scrollWidth") == 390
    assert alone.evaluate("[...document.fonts].map(({ family, status }) => `${family} ${status}`)") == [
        "Inter Variable loaded"
    ]
    assert alone.evaluate("[...document.images].every(({ naturalWidth }) => naturalWidth > 0)")
    titles = [card["title"] for card in json.loads(alone.locator("#values").text_content() or "")["cards"]]
    assert titles[1:4] == ["loss/train", "lr", "batch"]
    context.close()

    page.emulate_media(media="print")
    expect(page.get_by_test_id("report")).to_be_visible()
    expect(page.locator("nav").first).to_be_hidden()
    printed = PdfReader(io.BytesIO(page.pdf(format="A4", print_background=True)))
    texts = [sheet.extract_text() for sheet in printed.pages]
    assert all(len(text) > 20 for text in texts), "a sheet is empty"
    assert {"The whole", "Why Adam", "loss/train", RUN} <= {
        word for word in ("The whole", "Why Adam", "loss/train", RUN) if word in "\n".join(texts)
    }
    assert "All reports" not in texts[0], "the tools are printed"
    page.emulate_media(media="screen")

    with zipfile.ZipFile(saved(page, "markdown", tmp_path)) as archive:
        assert archive.testzip() is None
        text = archive.read("report.md").decode()
        assert text.startswith("# The whole\n")
        assert "# Why Adam\n\nThe **loss** falls." in text
        assert "| tensorboard/tb\\_all/run\\_a | 0.00374400 |" in text
        pictures = [name for name in archive.namelist() if name.startswith("files/")]
        assert all(f"]({name})" in text for name in pictures)
        chart = Image.open(io.BytesIO(archive.read(pictures[0]))).convert("L")
        assert chart.size == (2120, 880)
        low, high = chart.getextrema()
        assert low < 140 < 250 < high, "the chart has no line"


def saved(page: Page, kind: str, folder: Path) -> Path:
    page.get_by_test_id("report-download").click()
    with page.expect_download() as download:
        page.get_by_test_id(f"report-download-{kind}").click()
    file = folder / download.value.suggested_filename
    download.value.save_as(file)
    return file
