# SPDX-License-Identifier: Apache-2.0
"""What the gallery pictures: which page, of which logs, in which look."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

HEIGHTS = {800: 900, 1280: 800, 1920: 1080}
"""The height of the window for every width: half a laptop's screen, a laptop's, a desktop's."""
TB_ALL = "run=tensorboard%2Ftb_all%2Frun_a"
LANDSCAPES = "run=mindspore%2Flandscape%2Funit_step"
OPS = "run=mindspore%2Fops"
MAIN_PAGES = {
    "runs": "/",
    "dashboard": f"/dashboard?{OPS}",
    "scalars": "/scalars?smoothing=0.8",
    "scalar-groups": "/scalars?group=directory&value_tables=all",
    "images": "/images",
    "histograms": "/histograms",
    "tensors": "/tensors",
    "lineage": "/?lineage_chart=coordinates",
    "texts": f"/texts?{TB_ALL}",
    "audio": f"/audio?{TB_ALL}",
    "pr-curves": f"/pr-curves?{TB_ALL}",
    "landscape": f"/landscape?{LANDSCAPES}",
    "graph": f"/graph?{OPS}&node=Default",
}
VARIANTS = {
    "dashboard-landscape": "/dashboard?run=mindspore%2Flandscape%2Funit_step",
    "landscape-contours": f"/landscape?{LANDSCAPES}&landscape_form=contours&landscape_colors=RdBu",
    "landscape-map": f"/landscape?{LANDSCAPES}&landscape_form=map",
    "landscape-overlaid": f"/landscape?{LANDSCAPES}&run=mindspore%2Flandscape%2Funit_epoch&landscape_overlay=on",
    "dashboard-empty": f"/dashboard?{TB_ALL}%2Fmulti_a",
    "log": "/scalars?y=log&axis=relative",
    "brightness": "/images?step=20&brightness=1.5&size=original",
    "difference": "/images?full=input&difference=1",
    "front": "/histograms?shape=front&axis=relative",
    "heat": "/histograms?shape=heat",
    "percentiles": "/histograms?shape=bands",
    "tensor-table": f"/tensors?{OPS}&full=logits",
    "tensor-heat": f"/tensors?{OPS}&full=logits&as=heat",
    "tensor-histogram": f"/tensors?{OPS}&full=logits&as=histogram",
    "tensor-problem": f"/tensors?{OPS}&full=logits&slice=soup,:",
    "nothing": "/scalars?tag=no-such-tag",
    "none": "/scalars?runs=none",
}
TOOLS = "runs=all&debug=%5B%22debugged%22,%22.%22%5D"
TRACE = "runs=all&profile=%5B%22rank_0%22,%22b.pt.trace.json%22%5D"
SNAPSHOT = "runs=all&profile=%5B%22other%22,%22many.memory_snapshot.pickle%22%5D"
TOOL_PAGES = {
    "profiling": f"/profile?{TRACE}",
    "profiling-operators": f"/profile?{TRACE}&profile_tab=operators&rows_group=name&rows_row=0",
    "profiling-modules": f"/profile?{TRACE}&profile_tab=modules",
    "profiling-steps": f"/profile?{TRACE}&profile_tab=steps&profile_step=1",
    "profiling-memory": f"/profile?{SNAPSHOT}&profile_tab=memory",
    "profiling-timeline": f"/profile?{TRACE}&profile_tab=timeline&timeline_slice=2",
    "profiling-ranks": f"/profile?{TRACE}&profile_tab=ranks",
    "debugger": f"/debugger?{TOOLS}&debug_tab=statistics",
    "debugger-watchpoints": f"/debugger?{TOOLS}&debug_tab=watchpoints",
    "debugger-compare": f"/debugger?{TOOLS}&debug_tab=compare&debug_other=%5B%22differs%22,%22.%22%5D",
    "logs": "/logs?runs=all",
}
"""Of runs that ``write_tools`` writes."""
PAGES = MAIN_PAGES | VARIANTS
SIZED_PAGES = ("runs", "dashboard", "scalars", "scalar-groups", "images", "histograms", "tensors")
LOADING_PAGES = (*SIZED_PAGES[1:], "lineage", "texts", "audio")
WIDE_PAGES = (*SIZED_PAGES, "lineage")
"""Whose golden pictures are kept at every width."""
REAL_LOGS, TOOL_LOGS = "real", "tools"
SIZED_LOGS = {"1-cards": (1, 1), "12-cards": (1, 12), "300-cards": (1, 300), "200-runs": (200, 12)}
"""How many runs and how many cards of every kind."""
GOLDEN_SIZES = {
    "12-cards": SIZED_PAGES,
    "300-cards": ("runs", "scalars"),
    "200-runs": ("runs", "scalars", "scalar-groups"),
    "empty": SIZED_PAGES,
    "damaged": ("runs", "dashboard", "scalars", "images", "tensors"),
}


@dataclass(frozen=True, order=True)
class Look:
    """How a page is looked at."""

    width: int = 1280
    theme: str = "light"
    language: str = "en"

    def __str__(self) -> str:
        return f"{self.width}-{self.theme}-{self.language}"


@dataclass(frozen=True)
class Case:
    """One picture: an address of the viewer over ``logs`` in a look; golden ones are kept."""

    name: str
    logs: str
    address: str
    look: Look
    is_golden: bool = False
    is_loading: bool = False
    """Whether the server seems not to answer."""


def all_cases() -> list[Case]:
    return [*real_cases(), *tool_cases(), *loading_cases(), *sized_cases()]


def real_cases() -> Iterator[Case]:
    """Every page at every width in English and light, and in every theme and language at the usual width."""
    looks = [Look(width) for width in HEIGHTS] + [
        Look(1280, "light", "zh"),
        Look(1280, "dark"),
        Look(1280, "dark", "zh"),
    ]
    for (page, address), look in product(PAGES.items(), looks):
        yield Case(f"{page}-{look}", REAL_LOGS, address, look, is_kept(page, look))


def tool_cases() -> Iterator[Case]:
    """Pages of profiles, debugging data and logs, in both themes and languages, and at half a laptop's screen."""
    kept = (Look(), Look(1280, "dark", "zh"))
    for (page, address), look in product(
        TOOL_PAGES.items(), (*kept, Look(800), Look(1280, "light", "zh"), Look(1280, "dark"))
    ):
        yield Case(f"{page}-{look}", TOOL_LOGS, address, look, look in kept)


def is_kept(page: str, look: Look) -> bool:
    """One golden picture of a variant, two of a main page, and those of other widths of the widest ones."""
    if look == Look():
        return True
    if look == Look(1280, "dark", "zh"):
        return page in MAIN_PAGES
    return look.width != 1280 and page in WIDE_PAGES


def loading_cases() -> Iterator[Case]:
    for page in LOADING_PAGES:
        yield Case(f"loading-{page}-light", REAL_LOGS, PAGES[page], Look(), is_golden=True, is_loading=True)


def sized_cases() -> Iterator[Case]:
    """One, twelve and three hundred cards of a run, two hundred runs, nothing, and damage; light and dark."""
    for logs, page, theme in product((*SIZED_LOGS, "empty", "damaged"), SIZED_PAGES, ("light", "dark")):
        is_golden = theme == "light" and page in GOLDEN_SIZES.get(logs, ())
        address = {"runs": "/", "scalar-groups": MAIN_PAGES["scalar-groups"]}.get(page, f"/{page}")
        yield Case(f"{logs}-{page}-{theme}", logs, address, Look(theme=theme), is_golden)
