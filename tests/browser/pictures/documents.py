# SPDX-License-Identifier: Apache-2.0
"""The pictures of the documents: pages of the trainings of ``make demo``, light and dark, in English and Chinese."""

from __future__ import annotations

import io
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import product
from pathlib import Path
from shutil import copytree
from typing import Any
from urllib.parse import quote

import numpy as np
from PIL import Image
from playwright.sync_api import sync_playwright
from sklearn.datasets import load_digits

import mindscope
from tests.browser.chromium import FLAGS, WHOLE, program
from tests.browser.pictures.camera import Camera
from tests.browser.pictures.cases import Look
from tests.browser.pictures.figures import FIGURES, write_figures
from tests.server.live_viewer import DATA, LiveViewer, eventually, free_port, running_viewer

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "docs" / "images"
LARGEST_BYTES = 60_000
LENET = "run=lenet-lr0.02"
CURVES = """SELECT step, avg(value) AS accuracy, run
FROM scalars
WHERE tag = 'accuracy/test' AND run LIKE '%lenet%' AND NOT is_overwritten
GROUP BY ALL
ORDER BY run, step"""
SHOTS = {
    "runs": "/",
    "comparison": "/?pair=lenet-lr0.005&pair=lenet-lr0.05",
    "lineage": "/?find=sweep&lineage_chart=coordinates",
    "data-lineage": "/lineage/data?find=sweep",
    "dashboard": "/dashboard?run=lenet-lr0.05",
    "scalars": "/scalars?find=lenet&smoothing=0.9",
    "system-metrics": "/scalars?run=sorting&tag=system",
    "query": f"/query?sql={quote(CURVES)}&sql_chart=shown&sql_by=run",
    "reports": "/reports?report={report}",
    "images": "/media?kind=image&find=lenet",
    "histograms": f"/histograms?{LENET}",
    "tensors": f"/media?kind=tensor&{LENET}&full=confusion&as=heat",
    "videos": "/media?kind=video&run=video",
    "meshes": "/media?kind=mesh&find=mesh-&full=shape",
    "embeddings": "/embeddings?run=digits&embedding_label=name&embedding_point=5",
    "graphs": "/graph?run=sorting",
    "landscapes": f"/landscape?{LENET}",
    "profiling": "/profile?run=lenet-lr0.005",
    "timeline": "/profile?run=lenet-lr0.005&profile_tab=timeline",
    "debugging": "/debugger?run=failed",
    "debugging-data": "/debugger?run=failed&debug_tab=statistics",
    "logs": "/logs?run=failed",
    "alerts": "/scalars?find=lenet&smoothing=0.9",
    "mindspore": "/dashboard?run=ops",
    "saved-views": "/scalars?find=lenet&smoothing=0.9",
}
"""The pages by the names of the pictures."""
OTHERS = ("videos", "meshes", "embeddings", "mindspore")
"""Those of other runs than the demo's."""
CLICKS = {"alerts": "alerts", "saved-views": "views"}
"""What is clicked before a picture is taken."""
MEASURED = ("scaling", "soak")
"""Those that programs of ``bench/`` draw."""
IN_CHINESE = "runs comparison dashboard mindspore scalars lineage graphs landscapes profiling debugging".split()
"""Those that Chinese documents show."""


def names() -> set[str]:
    """The names of all pictures, without their ends."""
    english = {f"{name}-{theme}" for name, theme in product((*SHOTS, *FIGURES, *MEASURED), ("light", "dark"))}
    return english | {f"{name}-{theme}-zh" for name, theme in product(IN_CHINESE, ("light", "dark"))}


def take(room: Path) -> None:
    """Write all of them; ``room`` is where the pictures say that the logs and the programs are."""
    with demo_viewer(room) as viewer, other_viewer(room) as other, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program(WHOLE), args=FLAGS)
        for theme, language in product(("light", "dark"), ("en", "zh")):
            camera = Camera(browser, Look(theme=theme, language=language), time.time())
            for name in SHOTS if language == "en" else IN_CHINESE:
                address = SHOTS[name].format(report=quote(viewer.report))
                origin = other if name in OTHERS else viewer.origin
                if not camera.take(origin + address, room / "picture.png", CLICKS.get(name)):
                    print(f"never at rest: {name}")
                end = "" if language == "en" else f"-{language}"
                (FOLDER / f"{name}-{theme}{end}.webp").write_bytes(smallest(room / "picture.png"))
            camera.close()
        browser.close()
    write_figures(FOLDER, room)
    for path in FOLDER.glob("*.webp"):
        if path.stem not in names():
            path.unlink()


def smallest(picture: Path) -> bytes:
    """A WebP of a picture: without loss where that is small enough, else in the best quality that is."""
    with Image.open(picture) as image:
        pixels = image.convert("RGB")
    for options in ({"lossless": True}, *({"quality": quality} for quality in range(90, 10, -10))):
        pixels.save(written := io.BytesIO(), "WEBP", method=6, **options)
        if len(written.getvalue()) <= LARGEST_BYTES:
            break
    return written.getvalue()


class Shown:
    """A viewer over the trainings, and the report that it has."""

    def __init__(self, viewer: LiveViewer) -> None:
        sys.path.insert(0, str(ROOT / "examples"))
        from demo import Guide, write_report  # pyright: ignore[reportMissingImports]

        self.origin = f"http://127.0.0.1:{viewer.port}"
        self.report: str = write_report(Guide(viewer.port), "")


@contextmanager
def demo_viewer(room: Path) -> Iterator[Shown]:
    """Run ``make demo`` to its end, and open what it trained without the time in the names of the runs."""
    examples = copytree(ROOT / "examples", room / "examples")
    command = [sys.executable, str(examples / "demo.py"), "--exit", "--port", str(free_port())]
    subprocess.run([*command, "--base-dir", str(room / "demo")], check=True)
    (trained,) = [path for path in (room / "demo").iterdir() if path.name != ".workspace"]
    base = trained.rename(room / "runs")
    with running_viewer(base, room) as viewer:
        eventually(partial(has_read, viewer, len(mindscope.open_runs(base))))
        yield Shown(viewer)


@contextmanager
def other_viewer(room: Path) -> Iterator[str]:
    """The address of a viewer over runs with a video, with meshes, with digits, and of MindSpore."""
    write_video(room / "others" / "video")
    write_mesh(room / "others" / "mesh-narrow", 0.15)
    write_mesh(room / "others" / "mesh-wide", 0.3)
    write_digits(room / "others" / "digits")
    copytree(DATA / "mindspore" / "ops", room / "others" / "ops")
    with running_viewer(room / "others", room / "other-viewer") as viewer:
        eventually(partial(has_read, viewer, 5))
        yield f"http://127.0.0.1:{viewer.port}"


def has_read(viewer: LiveViewer, runs: int) -> bool:
    return len(viewer.runs()) == runs and all(run["tags"] or run["contents"] for run in viewer.runs().values())


def write_digits(run: Path) -> None:
    """Pictures of digits as vectors of their pixels."""
    digits: Any = load_digits()
    columns = {"metadata": [[str(digit), f"row {row}"] for row, digit in enumerate(digits.target)]}
    value = {"vectors": digits.data.astype(np.float32), **columns, "metadata_header": ["digit", "name"]}
    with mindscope.SummaryRecord(run) as record:
        record.add_value("embedding", "digits", {**value, "images": 1 - digits.images[:, None] / 16})
        record.add_value("scalar", "loss", 1.0)
        record.record(100)


def write_video(run: Path) -> None:
    """Rings that move apart, as an agent's camera might see them."""
    y, x = np.mgrid[-1:1:96j, -1.5:1.5:144j]
    with mindscope.SummaryRecord(run) as record:
        for step in (100, 200, 300):
            frames = [np.cos(12 * np.hypot(x - step / 400, y) - frame / 2) / 2 + 0.5 for frame in range(20)]
            record.add_value("video", "camera", np.stack(frames).astype(np.float32))
            record.record(step)


def write_mesh(run: Path, bumps: float) -> None:
    """A ball with bumps, colored from its foot to its top."""
    around, up = np.meshgrid(np.linspace(0, 2 * np.pi, 120), np.linspace(0, np.pi, 60))
    radius = 1 + bumps * np.sin(5 * around) * np.sin(4 * up)
    corners = [radius * np.sin(up) * np.cos(around), 1.2 * radius * np.cos(up), radius * np.sin(up) * np.sin(around)]
    vertices = np.stack(corners, -1).reshape(-1, 3)
    height = (vertices[:, 1:2] + 1.5) / 3
    corner = np.arange(vertices.shape[0]).reshape(up.shape)[:-1, :-1].reshape(-1, 1)
    faces = np.concatenate([corner + np.array([0, 1, 120]), corner + np.array([1, 121, 120])])
    colors = np.concatenate([255 * height, 180 - 100 * height, 255 - 255 * height], axis=1)
    with mindscope.SummaryRecord(run) as record:
        record.add_value("mesh", "shape", {"vertices": vertices, "faces": faces, "colors": colors})
        record.record(100)
