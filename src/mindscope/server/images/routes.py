# SPDX-License-Identifier: Apache-2.0
"""Images: the steps of a tag, and each image as it was written."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse, Response

from mindscope.formats.image_formats import MEDIA_TYPES
from mindscope.reasons import Reason
from mindscope.server.http.context import CurrentViewer
from mindscope.server.http.errors import NOT_FOUND, failure
from mindscope.server.http.immutable import IMMUTABLE, Id
from mindscope.server.http.json_response import JsonResponse
from mindscope.server.http.schema import FailureAnswer
from mindscope.server.images.encoded import image_damage, media_type
from mindscope.server.images.query import find_image, list_images
from mindscope.server.images.schema import ImagesAnswer

MAX_PICTURE = 2**31 - 1
ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {"content": {each: {"schema": {"type": "string", "format": "binary"}} for each in MEDIA_TYPES}},
    **NOT_FOUND,
    415: {"model": FailureAnswer, "description": "The bytes are no whole PNG, JPEG, GIF, WebP, BMP or AVIF."},
    500: {"model": FailureAnswer, "description": "The bytes can't be read any more."},
}

router = APIRouter()


class PictureResponse(Response):
    """The response with an image; its media type comes from its bytes."""

    media_type = "image/png"


@router.get("/images", response_model=ImagesAnswer, responses=NOT_FOUND)
def get_images(
    run: str, tag: str, viewer: CurrentViewer, since: Annotated[str | None, Query(max_length=80)] = None
) -> JsonResponse:
    """The steps of an image tag of a run; with ``since``, the cursor of a response, only the new ones."""
    return JsonResponse(list_images(viewer.catalog, run, tag, since))


@router.get("/image", response_class=PictureResponse, response_model=None, responses=ANSWERS)
def get_image(
    run: str,
    tag: str,
    id: Id,
    viewer: CurrentViewer,
    picture: Annotated[int, Query(ge=0, le=MAX_PICTURE)] = 0,
) -> Response | JSONResponse:
    """Return an image of the value that ``/api/images`` calls ``id``."""
    image = find_image(viewer.catalog, run, tag, id, picture)
    if image is None:
        what = Reason("image_not_found", run=run, tag=tag, id=id, picture=picture)
        return failure(404, what, "GET /api/images lists the ids of a tag")
    damage = image_damage(image.encoded, image.location)
    if damage is not None:
        return failure(415, damage, "only whole PNG, JPEG, GIF, WebP, BMP and AVIF are handed out: record one of them")
    return Response(image.encoded, media_type=media_type(image.encoded), headers=IMMUTABLE)
