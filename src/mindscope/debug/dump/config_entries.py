# SPDX-License-Identifier: Apache-2.0
"""Checked access to the entries of a JSON configuration; errors name the file and the key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from mindscope.errors import SettingsError


class ConfigEntries:
    """The entries of one object of a configuration.

    Args:
        file: what errors name.
        name: of the object.
        value: the object.

    Raises:
        SettingsError: the value is no object.
    """

    def __init__(self, file: str, name: str, value: Any) -> None:
        self._file, self._name = file, name
        if not isinstance(value, dict):
            raise SettingsError(f"{name} in {file} is {_shown(value)}, want an object")
        self._entries = cast("Mapping[str, Any]", value)

    def __contains__(self, key: str) -> bool:
        return key in self._entries

    def label(self, key: str) -> str:
        """Return the name of an entry in messages."""
        return f"{self._name}.{key} in {self._file}"

    def number(self, key: str, default: int | None, lowest: int = 0, highest: int = 2**64 - 1, means: str = "") -> int:
        """Return a whole number; required if there is no default.

        Args:
            key: of the entry.
            default: for a missing key.
            lowest: the smallest number that is valid.
            highest: the largest number that is valid.
            means: the meaning of the numbers, for the error.
        """
        value = self._value(key, default)
        if type(value) is not int or not lowest <= value <= highest:
            limits = f"{lowest} to {highest}" if highest < 2**64 - 1 else f"of at least {lowest}"
            raise self._wrong(key, value, f"a whole number {limits}{f': {means}' if means else ''}")
        return value

    def text(self, key: str, default: str | None) -> str:
        """Return a text; required if there is no default."""
        value = self._value(key, default)
        if not isinstance(value, str):
            raise self._wrong(key, value, "a text")
        return value

    def flag(self, key: str, default: bool) -> bool:
        """Return true or false."""
        value = self._value(key, default)
        if not isinstance(value, bool):
            raise self._wrong(key, value, "true or false")
        return value

    def choice(self, key: str, choices: Sequence[str]) -> str:
        """Return one of some texts; the first if the key is missing."""
        value = self._value(key, choices[0])
        if value not in choices:
            raise self._wrong(key, value, " or ".join(map(repr, choices)))
        return value

    def list_of(self, key: str, kind: type, default: list[Any] | None) -> list[Any]:
        """Return a list of texts, or of whole numbers of at least 0; required if there is no default."""
        value = self._value(key, default)
        is_list = isinstance(value, list)
        items = cast("list[Any]", value) if is_list else []
        if not is_list or any(type(item) is not kind or (kind is int and item < 0) for item in items):
            raise self._wrong(key, value, "a list of texts" if kind is str else "a list of whole numbers of at least 0")
        return items

    def raw(self, key: str) -> Any:
        """Return a required entry of any type."""
        return self._value(key, None)

    def _value(self, key: str, default: Any) -> Any:
        if key in self._entries:
            return self._entries[key]
        if default is None:
            raise SettingsError(f"{self.label(key)} is missing, and a dump needs it")
        return default

    def _wrong(self, key: str, value: Any, want: str) -> SettingsError:
        return SettingsError(f"{self.label(key)} is {_shown(value)}, want {want}")


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 100 else f"{text[:100]}..."
