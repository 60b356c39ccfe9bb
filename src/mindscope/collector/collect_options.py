# SPDX-License-Identifier: Apache-2.0
"""The argument ``collect_specified_data`` says what to collect."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from mindscope.collector.landscape import LandscapeSettings, check_landscape

_ARGUMENT = "collect_specified_data"
_FLAGS = tuple(
    "collect_metric collect_graph collect_train_lineage collect_eval_lineage collect_input_data collect_dataset_graph"
    .split()
)  # fmt: skip
FACTS = tuple(
    "seed world_size precision parameter_count optimizer scheduler command_line environment git versions".split()
)  # fmt: skip
"""Names of automatic lineage fields: ``collect_git`` and so on."""
_DATASET_SIZE = "collect_dataset_size"
_OUTPUT = "collect_output"
_WHOLE = "collect_whole_parameters"
_SYSTEM = "collect_system"
_FILES = "collect_files"
_FACT_FLAGS = (*(f"collect_{name}" for name in FACTS), _DATASET_SIZE)
KEYS = (*_FLAGS, "histogram_regular", "collect_landscape", _OUTPUT, _WHOLE, _SYSTEM, _FILES, *_FACT_FLAGS)


@dataclass(frozen=True, slots=True)
class CollectOptions:
    """The data to collect.

    ``histogram_regular`` is None for the first parameters; ``landscape`` is None for none.

    ``facts`` are those names of ``FACTS`` that are collected, by default as the lineage of the training is.
    """

    collect_metric: bool
    collect_graph: bool
    collect_train_lineage: bool
    collect_eval_lineage: bool
    collect_input_data: bool
    collect_dataset_graph: bool
    collect_histogram: bool
    histogram_regular: str | None
    landscape: LandscapeSettings | None
    facts: frozenset[str]
    collect_dataset_size: bool
    collect_output: bool
    """Whether outputs are collected; never by default."""
    collect_whole_parameters: bool
    """Whether parameters that are spread over processes are gathered for their histograms. Never by default."""
    collect_system: bool
    """Whether metrics of the machine are collected."""
    collect_files: bool
    """Whether command, script, settings, packages and the difference of git are kept as files."""


def check_collect_options(
    specified: Any, keep_default_action: Any, default_landscape: LandscapeSettings | None = None
) -> CollectOptions:
    """Return the choice of a user: named things as they say, the others by default.

    Without the default action, the others are not collected.

    ``default_landscape`` is what is kept for landscapes by default; what a user's own leaves open is taken from it.

    Raises:
        TypeError, ValueError: an unknown key or a value of another kind; the text names both and what is accepted.
    """
    if not isinstance(keep_default_action, bool):
        kind = type(keep_default_action).__name__
        raise TypeError(f"keep_default_action is {kind} {keep_default_action!r}, want True or False")
    if specified is None:
        return _choice({}, keep_default_action, default_landscape)
    if not isinstance(specified, Mapping):
        raise TypeError(f"{_ARGUMENT} is {type(specified).__name__} {specified!r}, want a dict or None")
    choice = dict(cast("Mapping[Any, Any]", specified))
    for key, value in choice.items():
        _check_entry(key, value)
    return _choice(choice, keep_default_action, default_landscape)


def _choice(choice: dict[str, Any], is_default: bool, default_landscape: LandscapeSettings | None) -> CollectOptions:
    landscape = default_landscape if is_default else None
    if "collect_landscape" in choice:
        landscape = check_landscape(choice["collect_landscape"], default_landscape or LandscapeSettings())
    flags = {key: choice.get(key, is_default) for key in _FLAGS}
    return CollectOptions(
        **flags,
        collect_histogram="histogram_regular" in choice or is_default,
        histogram_regular=choice.get("histogram_regular"),
        landscape=landscape,
        facts=frozenset(name for name in FACTS if choice.get(f"collect_{name}", flags["collect_train_lineage"])),
        collect_dataset_size=choice.get(_DATASET_SIZE, True),
        collect_output=choice.get(_OUTPUT, False),
        collect_whole_parameters=choice.get(_WHOLE, False),
        collect_system=choice.get(_SYSTEM, is_default),
        collect_files=choice.get(_FILES, is_default),
    )


def _check_entry(key: Any, value: Any) -> None:
    name = f"{_ARGUMENT}[{key!r}]"
    if key not in KEYS:
        raise ValueError(f"{name} is unknown, its value is {value!r}; want keys out of {', '.join(KEYS)}")
    if key in (*_FLAGS, *_FACT_FLAGS, _OUTPUT, _WHOLE, _SYSTEM, _FILES) and not isinstance(value, bool):
        raise TypeError(f"{name} is {type(value).__name__} {value!r}, want True or False")
    if key == "histogram_regular" and value is not None:
        _check_pattern(name, value)


def _check_pattern(name: str, value: Any) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{name} is {type(value).__name__} {value!r}, want a regular expression as text, or None")
    try:
        re.compile(value)
    except re.error as error:
        raise ValueError(f"{name} is {value!r}, want a regular expression: {error}") from error
