# SPDX-License-Identifier: Apache-2.0
"""The files and directories of profiles that belong to a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from mindscope.artifacts.rank_path import path_below, without_rank
from mindscope.ingest.file_names import readable
from mindscope.profile.formats import FORMATS
from mindscope.profile.formats.ascend.cluster import CLUSTER_OUTPUTS
from mindscope.profile.open import FoundProfile, find_profiles
from mindscope.store import RunStore
from mindscope.store.contents import ContentKind

PROFILE_KINDS = frozenset(kind for kind in ContentKind if kind.value.endswith("_profile"))


def profiles_of(store: RunStore, runs: Mapping[str, RunStore]) -> Iterator[tuple[str, FoundProfile]]:
    """Yield the profiles of a run with their paths below its directory. Raises OSError if it can't be searched.

    Those in the directories of runs below it are theirs. Without any, the summaries of a cluster are its profiles.
    """
    if not any(content.kind in PROFILE_KINDS for content in store.contents):
        return
    directory = Path(store.path)
    others = {str(run.path) for run in runs.values() if run is not store}
    for found in list(find_profiles(directory, others)) or CLUSTER_OUTPUTS.find(directory, others):
        yield readable(path_below(directory, found.path, found.rank).as_posix()), found


def find_profile(store: RunStore, runs: Mapping[str, RunStore], profile: str) -> FoundProfile | None:
    """Return the profile of a run with a path below its directory; None without one."""
    try:
        return _at(Path(store.path), profile) or next(
            (found for name, found in profiles_of(store, runs) if name == profile), None
        )
    except (OSError, ValueError):  # a name with a zero byte
        return None


def _at(directory: Path, profile: str) -> FoundProfile | None:
    """Return the profile at exactly this path, without a link on the way; that costs less than a search."""
    path, rank = without_rank(directory / profile)
    is_below = path.is_relative_to(directory) and ".." not in path.parts  # an absolute path is no part of a directory
    if not is_below or path.is_symlink() or path.parent.resolve() != (directory.resolve() / profile).parent:
        return None
    if not path.exists():
        return None
    return FORMATS.recognize(path, rank) or CLUSTER_OUTPUTS.recognize(path)
