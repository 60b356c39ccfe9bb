# SPDX-License-Identifier: Apache-2.0
"""Embeddings as files of TensorBoard's projector: vectors, labels, images, and a configuration that lists them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from mindscope.capture.array_conversion import Array, to_array
from mindscope.capture.images import encode_png
from mindscope.errors import ValueRejectedError
from mindscope.formats.projector_files import CONFIG_NAME

MAX_SPRITE_SIDE = 8192  # TensorBoard shows no larger one
_FIELDS = {"vectors", "metadata", "metadata_header", "images"}


class Embedding:
    """A copy of vectors with labels and images; ``write`` makes its files."""

    def __init__(self, vectors: Any, metadata: Any = None, images: Any = None, header: Any = None) -> None:
        self._vectors = to_array(vectors, check=_check_vectors)
        count = len(self._vectors)
        self._lines = None if metadata is None else _label_lines(list(metadata), header, count)
        self._images = None if images is None else _check_images(to_array(images), count)

    @property
    def nbytes(self) -> int:
        """Size of the copies in bytes."""
        return self._vectors.nbytes + (0 if self._images is None else self._images.nbytes)

    def write(self, directory: Path, step: int, tag: str) -> None:
        """Write the files below ``directory``, the one of the run. Raises OSError."""
        name = f"{step:05d}/{_escaped(tag)}"
        folder = directory / name
        folder.mkdir(parents=True, exist_ok=True)
        rows = ("\t".join(map(str, row)) for row in self._vectors.tolist())
        _write(folder / "tensors.tsv", "".join(f"{row}\n" for row in rows).encode())
        entry = [f"tensor_name: {_quoted(f'{tag}:{step:05d}')}", f"tensor_path: {_quoted(f'{name}/tensors.tsv')}"]
        if self._lines is not None:
            _write(folder / "metadata.tsv", ("\n".join(self._lines) + "\n").encode("utf-8", "backslashreplace"))
            entry.append(f"metadata_path: {_quoted(f'{name}/metadata.tsv')}")
        if self._images is not None:
            _write(folder / "sprite.png", encode_png(_sprite(self._images)))
            height, width = self._images.shape[2:]
            sizes = "".join(f"    single_image_dim: {size}\n" for size in (width, height))
            entry.append(f"sprite {{\n    image_path: {_quoted(f'{name}/sprite.png')}\n{sizes}  }}")
        lines = "".join(f"  {line}\n" for line in entry)
        with (directory / CONFIG_NAME).open("a+", encoding="utf-8") as file:
            file.seek(0)
            text = f"embeddings {{\n{lines}}}\n"
            if text not in file.read():  # the same step of a training that was restarted
                file.write(text)


def embedding(value: Any) -> Embedding:
    """Return the embedding in an array (N, D), or in ``{"vectors": ..., "metadata": ..., "images": ...}``.

    Raises ValueRejectedError.
    """
    if not isinstance(value, Mapping):
        return Embedding(value)
    given = cast("Mapping[str, Any]", value)
    if "vectors" not in given or not set(given) <= _FIELDS:
        raise ValueRejectedError(
            f'embedding is a dict of {sorted(map(str, given))}, want "vectors", perhaps with "metadata", '
            '"metadata_header" and "images"'
        )
    return Embedding(given["vectors"], given.get("metadata"), given.get("images"), given.get("metadata_header"))


def _check_vectors(array: Array) -> None:
    if array.ndim != 2 or array.size == 0 or array.dtype.kind == "c":
        raise ValueRejectedError(f"embedding is {array.dtype} of shape {array.shape}, want real vectors (N, D)")


def _label_lines(labels: list[Any], header: Any, count: int) -> list[str]:
    if len(labels) != count:
        raise ValueRejectedError(f"metadata has {len(labels)} labels, want {count}, one for each vector")
    if not header:
        return [_one_line(label) for label in labels]
    names = cast("Sequence[Any]", header)
    rows = [names, *labels]
    if any(isinstance(row, str) or len(row) != len(names) for row in rows):
        raise ValueRejectedError(f"metadata has rows of other lengths than the {len(names)} names of metadata_header")
    return ["\t".join(map(_one_line, row)) for row in rows]


def _one_line(value: Any) -> str:
    return " ".join(str(value).splitlines()).replace("\t", " ")


def _check_images(images: Array, count: int) -> Array:
    if images.ndim != 4 or images.shape[0] != count or images.shape[1] not in (1, 3) or images.dtype.kind == "c":
        raise ValueRejectedError(f"images have shape {images.shape}, want ({count}, C, H, W) with C of 1 or 3")
    side = math.ceil(math.sqrt(count)) * max(images.shape[2:])
    if side > MAX_SPRITE_SIDE:
        raise ValueRejectedError(
            f"images make a picture of {side} pixels a side, want at most {MAX_SPRITE_SIDE}; record smaller images"
        )
    return images


def _sprite(images: Array) -> NDArray[np.uint8]:
    """Return a square grid of images, (side, side, 3)."""
    count, channels, height, width = images.shape
    columns = math.ceil(math.sqrt(count))
    scale = 1 if images.dtype == np.uint8 else 255
    with np.errstate(invalid="ignore"):
        pixels = np.nan_to_num(images.astype(np.float64) * scale).clip(0, 255).astype(np.uint8)
    colored = np.repeat(pixels, 3, axis=1) if channels == 1 else pixels
    grid = np.zeros((columns * max(height, width),) * 2 + (3,), np.uint8)
    for number in range(count):
        row, column = divmod(number, columns)
        area = np.s_[row * height : (row + 1) * height, column * width : (column + 1) * width]
        grid[area] = colored[number].transpose(1, 2, 0)
    return grid


def _escaped(tag: str) -> str:
    name = tag.replace("%", "%25").replace("/", "%2f").replace("\\", "%5c")
    return name.replace(".", "%2e") if set(name) == {"."} else name


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _write(path: Path, content: bytes) -> None:
    path.write_bytes(content)
