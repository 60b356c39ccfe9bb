# SPDX-License-Identifier: Apache-2.0
"""Values that stand in the event files: found by run, kind and tag, read when they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mindscope.errors import FormatError, TagNotFoundError
from mindscope.formats import dialects
from mindscope.ingest import Catalog
from mindscope.reasons import Reason, Value, os_reason
from mindscope.store import FileFacts, ReferenceColumns, read_encoded
from mindscope.types import Kind


@dataclass(frozen=True, slots=True)
class References:
    """A tag of a kind other than scalar. ``places`` are the values that are shown, by ascending step."""

    kind: Kind
    run: str
    tag: str
    version: int
    places: ReferenceColumns
    written: Callable[[], ReferenceColumns]  # also what a restart hid
    file: Callable[[int], FileFacts]

    def read(self, places: ReferenceColumns, row: int) -> Any:
        """The decoded value in a row of ``places``. Raises FormatError when it can't be read."""
        what: dict[str, Value] = {"kind": self.kind.value, "tag": self.tag, "run": self.run}
        try:
            facts = self.file(int(places.file[row]))
        except KeyError:
            raise FormatError(Reason("file_gone", **what)) from None
        try:
            encoded = read_encoded(facts.path, int(places.offset[row]), int(places.length[row]))
        except OSError as error:
            raise FormatError(Reason("file_unreadable", file=facts.name, **os_reason(error))) from error
        if facts.dialect is None:
            raise FormatError(Reason("file_replaced", **what))
        return dialects.decode(facts.dialect, self.kind, encoded)


def find_references(catalog: Catalog, run: str, kind: Kind, tag: str) -> References:
    """Raises RunNotFoundError, TagNotFoundError. Neither run nor tag is ever part of a path."""
    store = catalog.run(run)
    series = store.references(kind, tag)
    if series is None:
        raise TagNotFoundError(Reason("tag_not_found", kind=kind.value, tag=tag, run=run))
    version = series.version  # read first, so that nobody believes to know more than he does
    return References(kind, run, tag, version, series.visible(), series.all, store.file)
