# SPDX-License-Identifier: Apache-2.0
"""The values of a tag as a message."""

from __future__ import annotations

from mindscope.analysis.meshes import main_tag
from mindscope.analysis.stored_values import find_values
from mindscope.analysis.value_ids import value_ids
from mindscope.ingest import Catalog
from mindscope.server.http.json_numbers import finite
from mindscope.server.values.schema import ValuesAnswer
from mindscope.types import Kind


def list_values(catalog: Catalog, run: str, kind: Kind, tag: str) -> ValuesAnswer:
    """Return all values of a tag of a kind other than scalar. Raises RunNotFoundError, TagNotFoundError.

    The tag of a mesh is its name, and its values are those of its vertices.
    """
    store = catalog.run(run)
    values = find_values(store, kind, main_tag(store, tag) if kind is Kind.MESH else tag)
    return ValuesAnswer(
        run=run,
        tag=tag,
        kind=kind,
        version=values.version,
        step=values.references.step.tolist(),
        wall_time=[finite(time) for time in values.references.wall_time.tolist()],
        id=value_ids(values.references),
    )
