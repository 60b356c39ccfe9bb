# SPDX-License-Identifier: Apache-2.0
"""What MLflow knows of a run, from its database or from its files: parameters, tags and the state."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mindscope.formats.kinds.tensorboard_plugins import RUNNING, session_end
from mindscope.trackers import values
from mindscope.trackers.rows import RowCollector
from mindscope.types import Kind

START, END = "_hparams_/session_start_info", "_hparams_/session_end_info"
ENDED = frozenset({"FINISHED", "FAILED", "KILLED"})
NOTE, NAME = "mlflow.note.content", "mlflow.runName"
_FACTS = {
    "mlflow.user": "user",
    "mlflow.source.name": "program",
    "mlflow.source.git.commit": "git_commit",
    "mlflow.source.git.branch": "git_branch",
    "mlflow.source.git.repoURL": "git_remote",
    "mlflow.parentRunId": "parent_run",
    NOTE: "notes",
}
_NUMBER = re.compile(r"[+-]?(?:(?:0|[1-9]\d{0,30})(?:\.\d{0,30})?|\.\d{1,30})(?:[eE][+-]?\d{1,3})?", re.ASCII)
_BOOLS = {"True": True, "False": False}


@dataclass(frozen=True, slots=True)
class MlflowRun:
    """A run as MLflow has it; times are in milliseconds since 1970. Its numbers are in other records."""

    id: str
    name: str
    experiment: str
    status: str
    started_ms: int | None
    ended_ms: int | None
    params: Mapping[str, str]
    tags: Mapping[str, str]

    def start(self) -> bytes:
        """Return the parameters, and facts such as the tags, the note and the commit."""
        facts: dict[str, Any] = {"id": self.id, "name": self.name, "experiment": self.experiment}
        for name, value in self.tags.items():
            if name in _FACTS:
                facts[_FACTS[name]] = value
            elif not name.startswith("mlflow."):
                facts[f"tag/{name}"] = value
        given = {f"env/{name}": value for name, value in facts.items() if value}
        params = {name: parameter(value) for name, value in self.params.items()}
        return values.parameters(given | params, self.experiment or None, seconds(self.started_ms))

    def end(self) -> bytes:
        """Return how the run ended; a run that was resumed is running again."""
        if self.status not in ENDED:
            return values.encoded(session_end(RUNNING))
        return values.end(has_failed=self.status != "FINISHED", ended_at=seconds(self.ended_ms))


def parameter(text: str) -> str | float:
    """Return the number or bool in the text of a parameter: MLflow keeps all of them as texts."""
    if text in _BOOLS:
        return _BOOLS[text]
    if _NUMBER.fullmatch(text):
        return float(text) if re.search(r"[.eE]", text) else int(text)
    return text


def seconds(milliseconds: int | None) -> float | None:
    """Return a time in seconds since 1970."""
    return milliseconds / 1000 if isinstance(milliseconds, (int, float)) else None


def refer_to_facts(
    rows: RowCollector, state: dict[str, Any], version: int, status: str, started_ms: int | None, ended_ms: int | None
) -> None:
    """Add the start of a run, and its end, if they are others than in ``state``. ``version`` differs with a change."""
    if state.get("facts") == version:
        return
    state["facts"], count = version, state.get("facts_count", 0)
    state["facts_count"] = count + 1
    started = seconds(started_ms) or 0.0
    rows.add_reference(Kind.HPARAMS, START, 0, started, count, 1)
    if status in ENDED or state.get("has_end"):
        rows.add_reference(Kind.HPARAMS, END, 0, seconds(ended_ms) or started, count, 1)
        state["has_end"] = True
