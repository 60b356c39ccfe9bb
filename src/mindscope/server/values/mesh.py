# SPDX-License-Identifier: Apache-2.0
"""The route of a mesh: vertices, faces and colors as columns."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from mindscope.analysis.meshes import read_mesh
from mindscope.server.http.columns import Float32, Uint8, Uint32, pack
from mindscope.server.http.columns_response import COLUMNS, ColumnsResponse
from mindscope.server.http.context import CurrentViewer
from mindscope.server.http.immutable import READABLE, Id, value_not_found
from mindscope.server.http.schema import Answer, ReasonEntry

MAX_VERTICES = 1 << 20
"""Limit of the vertices of a response: 28 MB with two faces a vertex and colors."""

router = APIRouter()

Item = Annotated[int, Query(ge=0, le=1 << 20, description="The number of the mesh in its batch.")]
MostVertices = Annotated[
    int, Query(ge=1, le=MAX_VERTICES, description="More vertices are sampled, or joined where they have faces.")
]


class MeshHeader(Answer):
    """A mesh of a step: columns of three numbers a row.

    ``vertex`` has coordinates, ``face`` the numbers of three vertices, ``color`` red, green and blue of each vertex, or
    nothing. ``vertices`` and ``faces`` count those before the reduction to the columns. ``box`` is the lowest and the
    highest vertex, six numbers, empty without any. ``config`` is a JSON object of names of three.js, or "".
    """

    step: int
    batch: int
    vertices: int
    faces: int
    box: list[float]
    config: str
    problems: list[ReasonEntry]
    vertex: Float32
    face: Uint32
    color: Uint8


@router.get("/mesh", response_class=ColumnsResponse, response_model=None, responses={**COLUMNS, **READABLE})
def get_mesh(
    run: str, tag: str, id: Id, viewer: CurrentViewer, item: Item = 0, most: MostVertices = 100_000
) -> Response:
    """Return a mesh or point cloud of at most ``most`` vertices; the header is MeshHeader.

    ``tag`` is the name of the mesh, without _VERTEX, _FACE and _COLOR. ``id`` is that of ``/api/values``.
    """
    mesh = read_mesh(viewer.catalog.run(run), tag, id, item, most)
    if mesh is None:
        return value_not_found("mesh", run, tag, id)
    header = MeshHeader(
        step=mesh.step,
        batch=mesh.batch,
        vertices=mesh.vertices,
        faces=mesh.faces,
        box=[] if mesh.box is None else [float(edge) for edge in mesh.box.reshape(-1)],
        config=mesh.config,
        problems=[ReasonEntry.of(problem) for problem in mesh.problems],
        vertex=mesh.vertex,
        face=mesh.face,
        color=mesh.color,
    )
    return ColumnsResponse(pack(header))
