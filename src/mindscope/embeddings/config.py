# SPDX-License-Identifier: Apache-2.0
"""Reads ``projector_config.pbtxt``: which embeddings a run has, and in which files.

embeddings {
  tensor_name: "words:00007"            the tag and the step, as SummaryWriter names them
  tensor_path: "00007/words/tensors.tsv"
  tensor_shape: 10000                   of a file of bytes: rows, then columns
  tensor_shape: 200
  metadata_path: "00007/words/metadata.tsv"
  sprite { image_path: "00007/words/sprite.png"  single_image_dim: 28  single_image_dim: 28 }
}
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from mindscope.artifacts.format import Format, Progress, no_progress
from mindscope.artifacts.formats import Formats
from mindscope.artifacts.open_below import open_below
from mindscope.embeddings.text_format import Message, parse_text_format
from mindscope.errors import FormatError
from mindscope.formats.projector_files import CONFIG_NAME
from mindscope.reasons import Reason

_MOST_BYTES = 16 << 20
_STEP = re.compile(r"^(?P<tag>.+):(?P<step>-?\d{1,18})$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class EmbeddingFiles:
    """An embedding of a run: the paths of its files below the directory of the run.

    ``name`` is unique within the run. ``shape`` is empty for a file of text. ``sprite_size`` is the width and the
    height of one image. ``problem`` says why the vectors can't be read.
    """

    name: str
    tag: str
    step: int | None
    tensor_path: str
    shape: tuple[int, ...] = ()
    metadata_path: str = ""
    sprite_path: str = ""
    sprite_size: tuple[int, int] = (0, 0)
    problem: Reason | None = None

    def version(self, run: Path) -> str:
        """Changes with the content of the files of vectors and metadata. Raises OSError if there are no vectors."""
        parts = [_version(run, self.tensor_path), *(str(size) for size in self.shape)]
        if self.metadata_path:
            try:
                parts.append(_version(run, self.metadata_path))
            except OSError:
                parts.append("")
        return "-".join(parts)


def _version(run: Path, path: str) -> str:
    descriptor = open_below(run, path)
    try:
        status = os.fstat(descriptor)
    finally:
        os.close(descriptor)
    return f"{status.st_size:x}.{max(status.st_mtime_ns, status.st_ctime_ns):x}.{status.st_ino:x}"


def read_config(path: Path, on_progress: Progress = no_progress) -> list[EmbeddingFiles]:
    """Return the embeddings that a configuration lists, the last one of each name. Raises FormatError, OSError."""
    descriptor = open_below(path.parent, path.name)
    with os.fdopen(descriptor, "rb") as file:
        size = os.fstat(descriptor).st_size
        if size > _MOST_BYTES:
            raise FormatError(Reason("embedding_config_large", file=path.name, bytes=size, most=_MOST_BYTES))
        content = file.read(_MOST_BYTES)
    on_progress(len(content))
    try:
        fields = parse_text_format(content.decode("utf-8", "replace"))
    except FormatError as error:
        raise FormatError(Reason("embedding_config_damaged", file=path.name, detail=str(error))) from error
    directory = path.parent.resolve()
    entries = [value for name, value in fields if name == "embeddings" and isinstance(value, list)]
    return list({files.name: files for files in (_files(directory, entry) for entry in entries)}.values())


def _recognizes(path: Path) -> bool:
    return path.name == CONFIG_NAME and path.is_file()


PROJECTOR: Format[list[EmbeddingFiles]] = Format(
    name="tensorboard_projector", title="TensorBoard projector", recognizes=_recognizes, read=read_config
)
FORMATS: Formats[list[EmbeddingFiles]] = Formats(
    (PROJECTOR,), depth=1, nothing="{path} has no embeddings; mindscope reads those of {titles}"
)


def embeddings_of(run: Path) -> list[EmbeddingFiles]:
    """Return the embeddings of a run, by tag and step; none of a run in a database. Raises FormatError, OSError."""
    if not run.is_dir():
        return []
    listed = [files for artifact in FORMATS.find(run) for files in artifact.read()]
    return sorted(listed, key=lambda files: (files.tag, files.step is not None, files.step or 0))


def _files(directory: Path, entry: Message) -> EmbeddingFiles:
    name = _text(entry, "tensor_name")
    tensor_path, metadata_path = (_below(directory, _text(entry, field)) for field in ("tensor_path", "metadata_path"))
    sprite = next((value for field, value in entry if field == "sprite" and isinstance(value, list)), Message())
    sprite_path = _below(directory, _text(sprite, "image_path"))
    width, height = (*_numbers(sprite, "single_image_dim"), 0, 0)[:2]
    match = _STEP.match(name)
    is_stepped = match is not None and (tensor_path or "").startswith(match["step"])
    return EmbeddingFiles(
        name=name,
        tag=match["tag"] if match is not None and is_stepped else name,
        step=int(match["step"]) if match is not None and is_stepped else None,
        tensor_path=tensor_path or "",
        shape=tuple(_numbers(entry, "tensor_shape")),
        metadata_path=metadata_path or "",
        sprite_path=sprite_path or "" if width > 0 and height > 0 else "",
        sprite_size=(width, height),
        problem=_problem(entry, tensor_path),
    )


def _problem(entry: Message, tensor_path: str | None) -> Reason | None:
    if tensor_path is None:
        return Reason("embedding_outside", path=_text(entry, "tensor_path"))
    return None if tensor_path else Reason("embedding_in_checkpoint", tensor=_text(entry, "tensor_name"))


def _below(directory: Path, path: str) -> str | None:
    """Return a path relative to the directory, empty for none; None for a path that leads out of it."""
    if not path:
        return ""
    relative = PurePosixPath(path)
    if relative.is_absolute():
        if not relative.is_relative_to(directory):
            return None
        relative = relative.relative_to(directory)
    return None if ".." in relative.parts or "\0" in path or not relative.parts else relative.as_posix()


def _text(entry: Message, field: str) -> str:
    return next((value for name, value in reversed(entry) if name == field and isinstance(value, str)), "")


def _numbers(entry: Message, field: str) -> list[int]:
    texts = [value for name, value in entry if name == field and isinstance(value, str)]
    return [int(text) for text in texts if re.fullmatch(r"\d{1,12}", text)]
