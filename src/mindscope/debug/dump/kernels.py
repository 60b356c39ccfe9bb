# SPDX-License-Identifier: Apache-2.0
"""The operators that ``kernels`` selects: by full name, by type, or by ``name-regex(...)``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from mindscope.errors import SettingsError
from mindscope.search_regex import RegexError, whole_match

_REGEX_BEGIN, _REGEX_END = "name-regex(", ")"


@dataclass(slots=True)
class KernelSelection:
    """Selects operators by their full names, such as ``Default/network-Net/conv1-Conv2d/convolution-op0``."""

    entries: tuple[str, ...]
    """Entries of the configuration, without quotes and spaces."""
    _matchers: tuple[Callable[[str], bool], ...]
    _known: dict[str, bool] = field(default_factory=dict[str, bool])  # names and whether they are selected
    _matched: set[str] = field(default_factory=set[str])  # entries that selected an operator

    def selects(self, full_name: str) -> bool:
        """Return whether an operator is selected; an empty list selects every operator."""
        known = self._known.get(full_name)
        if known is None:
            matched = [entry for entry, matches in zip(self.entries, self._matchers, strict=True) if matches(full_name)]
            self._matched.update(matched)
            known = self._known[full_name] = bool(matched) or not self.entries
        return known

    @property
    def unmatched(self) -> list[str]:
        """Entries that selected no operator until now."""
        return [entry for entry in self.entries if entry not in self._matched]


def parse_kernels(entries: Sequence[str], label: str) -> KernelSelection:
    """Return the selectors of operators.

    An entry with neither ``/`` nor ``-op`` is a type: it selects operators whose type contains it, in any case.
    ``name-regex(EXPRESSION)`` must match the whole full name, in the syntax of RE2, which needs linear time. Everything
    else is a full name.

    Args:
        entries: as in the configuration.
        label: what an error names.

    Raises:
        SettingsError: an expression that RE2 can't compile, as one with look-ahead or back references.
    """
    plain = tuple(entry.replace('"', "").strip() for entry in entries)
    return KernelSelection(plain, tuple(_matcher(entry, f"{label}[{index}]") for index, entry in enumerate(plain)))


def _matcher(entry: str, label: str) -> Callable[[str], bool]:
    if entry.startswith(_REGEX_BEGIN) and entry.endswith(_REGEX_END):
        return _regex_matcher(entry.removeprefix(_REGEX_BEGIN).removesuffix(_REGEX_END), label)
    if "/" in entry or "-op" in entry:
        return lambda name: name == entry
    wanted = entry.lower()
    return lambda name: bool(wanted) and wanted in operator_type(name).lower()


def operator_type(full_name: str) -> str:
    """Return the last part of a full name, up to its last dash: ``Conv2D`` of ``Default/conv1-Conv2d/Conv2D-op12``."""
    last = full_name.rpartition("/")[2]
    return last.rpartition("-")[0] or last


def _regex_matcher(expression: str, label: str) -> Callable[[str], bool]:
    try:
        return whole_match(expression)
    except RegexError as error:
        want = "an expression of RE2, without look-ahead and back references"
        raise SettingsError(f"{label} has {expression!r}, which is invalid: {error}; want {want}") from None
