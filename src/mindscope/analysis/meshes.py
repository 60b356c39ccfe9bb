# SPDX-License-Identifier: Apache-2.0
"""Meshes and point clouds: their parts at a step, checked, and reduced to a number of vertices."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.analysis.mesh_reduction import Reduced, clustered, sampled
from mindscope.analysis.stored_values import StoredValue, find_values
from mindscope.errors import FormatError
from mindscope.formats.kinds.tensor_plugins import MeshPart, mesh_part
from mindscope.reasons import Reason, Value, reason_of
from mindscope.store import RunStore
from mindscope.types import Kind

Array = NDArray[Any]

MAX_CONFIG = 1 << 16
"""Limit of the characters of a configuration that is handed out."""
SUFFIXES = {"VERTEX": ("_VERTEX", "_1"), "FACE": ("_FACE", "_2"), "COLOR": ("_COLOR", "_3")}
"""The ends of the tags of parts, as PyTorch and tensorboardX write them."""
_PART_TAG = re.compile(r"(?P<name>.*)_(?:VERTEX|FACE|COLOR|[123])", re.DOTALL)


@dataclass(frozen=True, slots=True, eq=False)
class Mesh:
    """One mesh of a step: whole vertices and faces, perhaps fewer than recorded, and what is wrong with it.

    ``vertex`` is (vertices, 3), ``face`` (faces, 3) of indices in it, ``color`` (vertices, 3) from 0 to 255, or
    (0, 3). ``vertices`` and ``faces`` count those that can be shown. ``box`` is the lowest and the highest vertex,
    None without vertices.
    """

    step: int
    batch: int
    vertex: NDArray[np.float32]
    face: NDArray[np.uint32]
    color: NDArray[np.uint8]
    vertices: int
    faces: int
    box: NDArray[np.float32] | None
    config: str
    problems: tuple[Reason, ...]


def mesh_name(tag: str) -> str:
    """Return the name of the mesh that has a part with this tag."""
    match = _PART_TAG.fullmatch(tag)
    return match["name"] if match else tag


def main_tag(store: RunStore, name: str) -> str:
    """Return the tag whose steps are those of a mesh: of its vertices, else of another part, else the name."""
    tags = (part_tag(store, name, part) for part in SUFFIXES)
    return next((tag for tag in tags if tag is not None), name)


def part_tag(store: RunStore, name: str, part: str) -> str | None:
    """Return the tag of a part of a mesh; None if the run has none."""
    tags = (name + suffix for suffix in SUFFIXES[part])
    return next((tag for tag in tags if store.references(Kind.MESH, tag) is not None), None)


def read_mesh(store: RunStore, name: str, id: str, item: int, most: int) -> Mesh | None:
    """Return mesh ``item`` of a batch with at most ``most`` vertices; None if no value is called ``id``.

    Raises TagNotFoundError, FormatError if a value can't be read.
    """
    main = main_tag(store, name)
    values = find_values(store, Kind.MESH, main)
    located = values.locate(id)
    if located is None:
        return None
    stored = values.stored(*located)
    step = int(stored.source["step"])
    first = mesh_part(stored.encoded)
    check = _Check(name, step, first)
    parts = {(first.name or _named(main)): first}
    for part in SUFFIXES:
        tag = part_tag(store, name, part)
        if part in parts or tag is None:
            continue
        try:
            other = _value_at(store, tag, step)
        except FormatError as error:
            check.problems.append(reason_of(error))
        else:
            if other is not None:
                parts[part] = mesh_part(other.encoded)
    return check.mesh(parts, item, most)


def _named(tag: str) -> str:
    return next((part for part, ends in SUFFIXES.items() if tag.endswith(ends)), "VERTEX")


def _value_at(store: RunStore, tag: str, step: int) -> StoredValue | None:
    values = find_values(store, Kind.MESH, tag)
    rows = np.flatnonzero(values.references.step == step)
    return values.stored(values.references, int(rows[-1])) if rows.size else None


@dataclass(slots=True)
class _Check:
    """Takes what can be shown of the parts of a mesh, and collects the reasons for what can't."""

    name: str
    step: int
    first: MeshPart
    problems: list[Reason] = field(default_factory=list[Reason])

    def mesh(self, parts: dict[str, MeshPart], item: int, most: int) -> Mesh:
        batch, arrays = 0, dict[str, Array]()
        for part, recorded in parts.items():
            meshes = self._numbers(part, recorded.array)
            if meshes is not None:
                batch = max(batch, len(meshes))
                if item < len(meshes):
                    arrays[part] = meshes[item]
        for part in self.first.components:
            if part not in parts:
                self._report("mesh_part_missing", part=part)
        vertex = arrays.get("VERTEX", np.empty((0, 3))).astype(np.float32)
        color = self._colors(arrays.get("COLOR"), len(vertex))
        face = self._faces(arrays.get("FACE"), len(vertex))
        whole = self._finite(Reduced(vertex, face, color))
        small = clustered(whole, most) if len(whole.face) else sampled(whole, most)
        box = np.stack((whole.vertex.min(0), whole.vertex.max(0))) if len(whole.vertex) else None
        return Mesh(
            self.step, batch, small.vertex, small.face, small.color, len(whole.vertex), len(whole.face), box,
            self._config(), tuple(self.problems),
        )  # fmt: skip

    def _report(self, code: str, **values: Value) -> None:
        self.problems.append(Reason(code, tag=self.name, step=self.step, **values))

    def _numbers(self, part: str, array: Array) -> Array | None:
        """Return a part as (batch, rows, 3); None if it has another shape or no numbers."""
        if array.dtype.kind not in "biuf":
            self._report("mesh_dtype", part=part, dtype=str(array.dtype))
            return None
        meshes = array[np.newaxis] if array.ndim == 2 else array
        if meshes.ndim != 3 or meshes.shape[2] != 3:
            self._report("mesh_shape", part=part, shape=str(array.shape))
            return None
        return meshes

    def _colors(self, color: Array | None, vertices: int) -> NDArray[np.uint8]:
        if color is None:
            return np.empty((0, 3), np.uint8)
        if len(color) != vertices:
            self._report("mesh_colors_unlike", colors=len(color), vertices=vertices)
            return np.empty((0, 3), np.uint8)
        shades = np.nan_to_num(color.astype(np.float32), posinf=255, neginf=0)
        if shades.size and 0 < shades.max() <= 1 and (shades % 1).any():
            self._report("mesh_color_fractions")
            shades *= 255
        return np.rint(np.clip(shades, 0, 255)).astype(np.uint8)

    def _faces(self, face: Array | None, vertices: int) -> NDArray[np.uint32]:
        if face is None:
            return np.empty((0, 3), np.uint32)
        if not len(face):
            self._report("mesh_no_faces")
        is_whole = ((face >= 0) & (face < vertices) & (face % 1 == 0)).all(1)
        if not is_whole.all():
            self._report("mesh_faces_out", count=int((~is_whole).sum()), total=len(face), vertices=vertices)
        return face[is_whole].astype(np.uint32)

    def _finite(self, mesh: Reduced) -> Reduced:
        """Return the mesh without the vertices that have NaN or infinities, and without their faces."""
        is_finite: NDArray[np.bool_] = np.logical_and.reduce(np.isfinite(mesh.vertex), axis=1)
        if is_finite.all():
            return mesh
        self._report("mesh_not_finite", count=int((~is_finite).sum()), total=len(mesh.vertex))
        numbers = np.cumsum(is_finite, dtype=np.uint32) - 1
        face = numbers[mesh.face[is_finite[mesh.face].all(1)]]
        return Reduced(mesh.vertex[is_finite], face, mesh.color[is_finite] if len(mesh.color) else mesh.color)

    def _config(self) -> str:
        """Return the configuration if it is a JSON object; "" otherwise."""
        text = self.first.config
        if not text:
            return ""
        try:
            if len(text) > MAX_CONFIG:
                raise ValueError(f"it has {len(text)} characters")
            if not isinstance(json.loads(text), dict):
                raise ValueError("it is no object")
        except (ValueError, RecursionError) as error:
            self._report("mesh_config", detail=str(error))
            return ""
        return text
