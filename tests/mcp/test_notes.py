# SPDX-License-Identifier: Apache-2.0
"""Notes and tags that agents write are those of the page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mindscope.annotations import AnnotationChange, Annotations
from tests.reading.sql.sql_runs import ODD_RUN

from .agent import Agent, agent_of


@pytest.fixture
def writer(odd_base: Path, tmp_path: Path) -> Iterator[Agent]:
    with agent_of(odd_base, workspace=tmp_path) as agent:
        yield agent


@pytest.fixture
def page(odd_base: Path, tmp_path: Path) -> Iterator[Annotations]:
    """The annotations as the viewer of this workspace has them."""
    annotations = Annotations(tmp_path, str(odd_base))
    yield annotations
    annotations.close()


def test_notes_and_tags_are_those_of_the_page(writer: Agent, page: Annotations) -> None:
    assert writer("read_notes") == {"summary": "0 runs.", "runs": []}
    writer("write_note", run=ODD_RUN, text="The loss is NaN from the first step on.")
    writer("label_run", run=ODD_RUN, add=["diverged", "check"])
    assert page.read().of("run")[ODD_RUN].fields == {
        "note": "The loss is NaN from the first step on.",
        "note_author": "agent",
        "tags": ["diverged", "check"],
    }
    assert writer("write_note", run=ODD_RUN, text="Lower the rate.")["note"].endswith("step on.\n\nLower the rate.")
    assert writer("label_run", run=ODD_RUN, add=["seen"], remove=["check"])["tags"] == ["diverged", "seen"]
    assert writer("write_note", run=ODD_RUN, text="New.", append=False)["note"] == "New."
    answer = writer("read_notes")
    assert answer["runs"] == [{"run": ODD_RUN, "note": "New.", "tags": ["diverged", "seen"], "archived": False}]


def test_what_people_wrote_stays(writer: Agent, page: Annotations) -> None:
    page.write([AnnotationChange("run", "first", 0, {"note": "Mine.", "tags": ["a"], "color": "3"})])
    writer("write_note", run="first", text="Yours.")
    kept = {"tags": ["a"], "color": "3"}
    assert page.read().of("run")["first"].fields == {"note": "Mine.\n\nYours.", "note_author": "", **kept}


def test_notes_of_no_run_are_refused(writer: Agent, page: Annotations) -> None:
    assert "did you mean 'first'" in writer.refusal("write_note", run="firs", text="x")
    assert "100" in writer.refusal("label_run", run="first", add=[str(number) for number in range(101)])
    assert "text" in writer.refusal("write_note", run="first", text="x" * 20_001)
    assert page.read().records == ()


def test_a_workspace_that_cannot_be_written_is_named(odd_base: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with agent_of(odd_base, workspace=tmp_path / "file") as agent:
        assert str(tmp_path / "file") in agent.refusal("write_note", run="first", text="x")
