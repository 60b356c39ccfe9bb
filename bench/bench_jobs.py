# SPDX-License-Identifier: Apache-2.0
"""Everyday jobs in clicks and seconds, in mindscope and in TensorBoard, over the same logs.

Torch's ``SummaryWriter`` writes 40 runs of an own loop: two learning rates, two widths, ten seeds, HParams, curves of
the training and of held-out data, images. Each job starts on the page that holds its data, and ends when the answer is
on the page. A click, a choice in a list and a drag count one each, as does the click into a field; typing, scrolling
and pointing count nothing. The seconds are those of the browser and the viewer: from the first click to the answer,
without the time that a person reads and aims.

    python bench/bench_jobs.py [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from statistics import median
from urllib.error import URLError
from urllib.request import urlopen

import numpy as np
from bench_ui import chromium, free_port, viewer
from measuring import machine
from playwright.sync_api import Browser, Locator, Page
from rich.console import Console
from rich.table import Table

ROUNDS = 3
STEPS = 100
BEST = "lr0.01_w128_s3"
SETTLED_MS = 2000


class Hand:
    """A person's hand: counts what it does, and remembers when it began."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.clicks = 0
        self.begun = time.monotonic()

    def _count(self) -> None:
        if self.clicks == 0:
            self.begun = time.monotonic()
        self.clicks += 1

    def click(self, target: Locator) -> None:
        target.wait_for()
        self._count()
        target.click()

    def id(self, name: str) -> Locator:
        return self.page.get_by_test_id(name)

    def type(self, field: Locator, text: str) -> None:
        self.click(field)
        field.press_sequentially(text)
        field.press("Enter")

    def drag_to_start(self, slider: Locator) -> None:
        box = slider.bounding_box()
        assert box is not None
        self._count()
        self.page.mouse.move(box["x"] + box["width"] - 6, box["y"] + box["height"] / 2)
        self.page.mouse.down()
        self.page.mouse.move(box["x"] + box["width"] / 3, box["y"] + box["height"] / 2, steps=4)
        self.page.mouse.up()


Work = Callable[[Hand], None]


def best_run(hand: Hand) -> None:
    first = hand.id("runs-table").locator("[data-run]").first
    hand.page.wait_for_function(
        "best => document.querySelector('[data-testid=runs-table] [data-run]')?.dataset.run === best", arg=BEST
    )
    hand.click(first.locator("button.linked"))
    hand.id("scalars").wait_for()


def worse_run(hand: Hand) -> None:
    row = hand.id("runs-table").locator("[data-run]").nth(20)
    row.hover()
    hand.click(row.get_by_test_id("run-actions"))
    hand.click(hand.id("run-actions-compare"))
    hand.id("pair-curves").locator("path").first.wait_for()


def train_and_val(hand: Hand) -> None:
    hand.click(hand.id("pairs"))
    hand.page.locator('[data-testid=card][data-tag="train/loss · val/loss"] canvas').first.wait_for()


def bands(hand: Hand) -> None:
    hand.click(hand.id("group-by"))
    hand.click(hand.id("all-but-seed"))
    hand.click(hand.id("spread").locator("input[value=confidence]"))
    hand.page.wait_for_function(
        "() => document.querySelectorAll('[data-tag=\"train/loss\"] .last').length === 4 &&"
        " location.search.includes('spread=confidence')"
    )
    hand.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def configuration(hand: Hand) -> None:
    hand.click(hand.id("filter-expression"))
    hand.type(hand.id("where"), "lr < 0.05 and width == 128")
    hand.page.wait_for_function("() => document.querySelectorAll('[data-testid=runs-table] [data-run]').length === 10")


def predictions(hand: Hand) -> None:
    hand.drag_to_start(hand.id("common-step"))
    hand.page.get_by_text("Step 30", exact=True).first.wait_for()


def show_boss(hand: Hand) -> None:
    with hand.page.expect_download() as saved:
        hand.click(hand.id("save-view"))
    assert saved.value.path().stat().st_size > 10_000


def tensorboard_best(hand: Hand) -> None:
    """The table of HParams, sorted: without HParams there is no such table."""
    for place, text in ((-2, "val/accuracy"), (-1, "Descending")):
        hand.click(hand.page.locator("tf-hparams-query-pane paper-dropdown-menu").nth(place))
        hand.click(hand.page.locator("paper-item:visible", has_text=text))
    trials = hand.page.locator("tf-hparams-table-view vaadin-grid-cell-content:visible", has_text="lr0")
    while trials.evaluate_all(FIRST_TRIAL) != BEST:
        hand.page.wait_for_timeout(20)


def tensorboard_configuration(hand: Hand) -> None:
    pane = hand.page.locator("tf-hparams-query-pane")
    hand.type(pane.locator("input[aria-labelledby]").nth(1), "0.05")
    hand.type(pane.locator("input[aria-labelledby]").nth(4), "100")
    pane.get_by_text("Number of matching session groups: 10").wait_for()


def tensorboard_predictions(hand: Hand) -> None:
    """The slider of one card: each run has its own."""
    card = hand.page.locator("image-card").first
    hand.drag_to_start(card.locator("mat-slider"))
    card.get_by_text("Step 30").wait_for()


FIRST_TRIAL = """cells => cells.map((cell) => [cell.getBoundingClientRect().top, cell.innerText.trim()])
  .filter(([top]) => top > 0).sort(([one], [other]) => one - other)[0]?.[1]"""

RUNS, SCALARS, HPARAMS = ("/", "runs-table"), ("/scalars", "pairs"), ("hparams", "tf-hparams-query-pane")
TASKS: dict[str, tuple[int, tuple[str, str, Work], tuple[str, str, Work] | str]] = {
    "best run of an own loop": (1, (*RUNS, best_run), (*HPARAMS, tensorboard_best)),
    "why is this run worse": (2, (*RUNS, worse_run), "no view of two runs"),
    "train and val in one chart": (1, (*SCALARS, train_and_val), "only if the script wrote them together"),
    "40 seeds as bands by two keys": (3, (*SCALARS, bands), "no groups, no bands"),
    "find a configuration": (2, (*RUNS, configuration), (*HPARAMS, tensorboard_configuration)),
    "predictions over time": (
        2,
        ("/media", "common-step", predictions),
        ("timeseries", "image-card", tensorboard_predictions),
    ),
    "show my boss": (2, (*SCALARS, show_boss), "a screenshot"),
}
"""Each job with the most clicks that it may take, and in both pages where it begins, what is there, how it is done."""


def main() -> None:
    """Write the logs, do every job a few times in both, print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    figures: dict[str, dict[str, tuple[int, float] | str]] = {}
    with tempfile.TemporaryDirectory() as room, chromium() as browser:
        logs = Path(room) / "logs"
        write_logs(logs)
        with viewer(logs, Path(room)) as mindscope, tensorboard(logs) as peer:
            for job, (_, (path, ready, work), other) in TASKS.items():
                figures[job] = {"mindscope": done(browser, f"{mindscope}{path}", f"[data-testid={ready}]", work)}
                if isinstance(other, str):
                    figures[job]["TensorBoard"] = other
                else:
                    tab, shown, work = other
                    figures[job]["TensorBoard"] = done(browser, f"{peer}/#{tab}", shown, work)
    show(figures)
    if options.json:
        options.json.write_text(json.dumps({"machine": machine(), "figures": figures}, indent=1))


def write_logs(base: Path) -> None:
    """40 runs as an own loop with torch's ``SummaryWriter`` writes them; one of the best configuration is the best."""
    from torch.utils.tensorboard import SummaryWriter
    from torch.utils.tensorboard.summary import hparams

    for number, (lr, width, seed) in enumerate(product((0.01, 0.1), (32, 128), range(10))):
        rng = np.random.default_rng(number)
        run = f"lr{lr}_w{width}_s{seed}"
        writer = SummaryWriter(str(base / run))
        for part in hparams({"lr": lr, "width": width, "seed": seed}, {"val/accuracy": 0.0, "val/loss": 0.0}):
            writer._get_file_writer().add_summary(part)
        floor = 0.2 + (0.3 if lr == 0.1 else 0.0) + (0.1 if width == 32 else 0.0) - (0.1 if run == BEST else 0.0)
        for step in range(STEPS):
            loss = floor + 2 * np.exp(-step / 25)
            writer.add_scalar("train/loss", loss + 0.05 * rng.normal(), step)
            if step % 5 == 0 or step == STEPS - 1:
                writer.add_scalar("val/loss", loss + 0.15 + 0.03 * rng.normal(), step)
                writer.add_scalar("val/accuracy", 1 - 0.4 * loss + 0.005 * rng.normal(), step)
            if step % 10 == 0 and seed == 0:
                writer.add_image("predictions", rng.random((1, 28, 28)).astype("float32"), step)
        writer.close()


@contextmanager
def tensorboard(logs: Path) -> Iterator[str]:
    """TensorBoard, after it read the logs."""
    port = free_port()
    command = [sys.executable, "-m", "tensorboard.main", "--logdir", str(logs), "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                with urlopen(f"{address}/data/runs") as answer:
                    if len(json.load(answer)) == 40:
                        break
            except URLError:
                pass
            time.sleep(0.5)
        yield address
    finally:
        process.terminate()
        process.wait()


def done(browser: Browser, address: str, ready: str, work: Work) -> tuple[int, float]:
    """Clicks of a job, and the median of its seconds."""
    rounds: list[tuple[int, float]] = []
    for _ in range(ROUNDS):
        page = browser.new_page(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
        page.goto(address)
        page.locator(ready).first.wait_for()
        page.wait_for_timeout(SETTLED_MS)
        hand = Hand(page)
        work(hand)
        rounds.append((hand.clicks, time.monotonic() - hand.begun))
        page.close()
    return rounds[0][0], median(seconds for _, seconds in rounds)


def show(figures: dict[str, dict[str, tuple[int, float] | str]]) -> None:
    table = Table("job", "wanted", "mindscope", "TensorBoard")
    for job, answers in figures.items():
        texts = [
            answer if isinstance(answer, str) else f"{answer[0]} clicks, {answer[1]:.2f} s"
            for answer in answers.values()
        ]
        table.add_row(job, str(TASKS[job][0]), *texts)
    Console().print(table)


if __name__ == "__main__":
    main()
