# SPDX-License-Identifier: Apache-2.0
"""Reads a whole embedding: vectors, their principal components, and metadata."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mindscope.artifacts.format import Progress, no_progress
from mindscope.artifacts.problems import Problems
from mindscope.embeddings.components import Components, principal_components
from mindscope.embeddings.config import EmbeddingFiles
from mindscope.embeddings.metadata import MetadataColumn, read_metadata
from mindscope.embeddings.vectors import Vectors, read_vectors
from mindscope.reasons import Reason


@dataclass(frozen=True, slots=True, eq=False)
class Embedding:
    """Vectors with what their files say of them; ``problems`` are those of the files beside the vectors."""

    vectors: Vectors
    components: Components
    metadata: list[MetadataColumn]
    problems: Problems


def read_embedding(run: Path, files: EmbeddingFiles, on_progress: Progress = no_progress) -> Embedding:
    """Return an embedding. Raises FormatError if the vectors can't be read, OSError."""
    vectors = read_vectors(run, files, on_progress)
    components = principal_components(vectors.values, lambda: on_progress(0))
    problems, metadata = Problems(), list[MetadataColumn]()
    if files.metadata_path:
        with problems.noted(Path(files.metadata_path)):
            metadata, rows = read_metadata(run, files.metadata_path, vectors.rows)
            if rows != vectors.total:
                path = files.metadata_path
                problems.note(path, Reason("embedding_metadata_rows", file=path, rows=rows, vectors=vectors.total))
    return Embedding(vectors, components, metadata, problems)
