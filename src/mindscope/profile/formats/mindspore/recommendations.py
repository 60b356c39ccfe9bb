# SPDX-License-Identifier: Apache-2.0
"""Findings of MindSpore's own advisor: ``msadvisor/device_N/recommendation/*.json``, shown as they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from mindscope.artifacts.problems import Problems
from mindscope.profile.formats.json_file import read_object
from mindscope.profile.formats.json_values import list_of, mapping_of

_MODELS = "model"
_NAMES = ("model_name", "model", "name", "title")
_DEEPEST = 20


def recommendations_of(directory: Path, rank: int, problems: Problems) -> list[dict[str, str]]:
    """Return ``model`` and ``text`` of each finding of the newest file of a rank; none without one."""
    files = list((directory / "msadvisor" / f"device_{rank}" / "recommendation").glob("*.json"))
    newest = max(files, key=lambda file: (file.stat().st_mtime_ns, file.name), default=None)
    return problems.read(newest, _findings) or []


def _findings(path: Path) -> list[dict[str, str]]:
    content = read_object(path)
    models = content.get(_MODELS, content)
    if isinstance(models, Mapping):
        listed = list(mapping_of(models).items())
    else:
        listed = [(_name(each), each) for each in list_of(models)] if isinstance(models, list) else [("", models)]
    found = [{"model": name, "text": "\n".join(dict.fromkeys(_texts(each)))} for name, each in listed]
    return [each for each in found if each["text"]]


def _name(model: Any) -> str:
    facts = mapping_of(model)
    return next((str(facts[name]) for name in _NAMES if isinstance(facts.get(name), str)), "")


def _texts(value: Any, depth: int = 0) -> Iterator[str]:
    """Yield all texts and numbers within, with the keys of single values; a row of a table is one line."""
    if depth > _DEEPEST or value in (None, "", [], {}):
        return
    if isinstance(value, Mapping):
        for key, each in mapping_of(value).items():
            if isinstance(each, (str, int, float)) and key not in _NAMES and each != "":
                yield f"{key}: {each}"
            elif not isinstance(each, (str, int, float)):
                yield from _texts(each, depth + 1)
    elif isinstance(value, list):
        items = list_of(value)
        if all(isinstance(item, (str, int, float)) for item in items):
            yield " | ".join(map(str, items)) if len(items) > 1 else str(items[0])
            return
        for each in items:
            yield from _texts(each, depth + 1)
    else:
        yield str(value)
