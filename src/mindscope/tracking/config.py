# SPDX-License-Identifier: Apache-2.0
"""The configuration of a run: a dict whose changes are recorded as parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from typing import Any

from mindscope.tracking.nested import entries


class Config(MutableMapping[str, Any]):
    """The parameters of a run, by item or attribute. Each change is recorded; nested dicts get names with ``.``."""

    def __init__(self, record: Callable[[dict[str, Any]], None]) -> None:
        self.__dict__["_record"] = record
        self.__dict__["_values"] = {}

    def update(self, config: Any = None, /, allow_val_change: bool = True, **values: Any) -> None:  # type: ignore[override]
        """Add or change parameters.

        ``config`` is a dict, a Namespace of argparse, a dataclass, or a configuration of OmegaConf or pydantic.
        ``allow_val_change`` has no effect: a value can always change.

        Raises TypeError for another object.
        """
        added = {str(name): value for name, value in {**entries(config), **values}.items()}
        self._values.update(added)
        self._record(added)

    def setdefaults(self, config: Any) -> None:
        """Add the parameters that are not there yet."""
        self.update({name: value for name, value in entries(config).items() if str(name) not in self._values})

    def as_dict(self) -> dict[str, Any]:
        """Return a copy."""
        return dict(self._values)

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self.update({name: value})

    def __delitem__(self, name: str) -> None:
        """Forget a parameter; what is recorded stays."""
        del self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __getattr__(self, name: str) -> Any:
        values = self.__dict__.get("_values", {})
        if name not in values:
            raise AttributeError(f"config has no parameter {name!r}; it has {', '.join(values) or 'none'}")
        return values[name]

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __repr__(self) -> str:
        return repr(self._values)
