# SPDX-License-Identifier: Apache-2.0
"""The files and directories of profiles that belong to a run."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from mindscope.artifacts.rank_path import path_below, without_rank
from mindscope.ingest.file_names import readable
from mindscope.profile.formats.ascend.cluster import CLUSTER_OUTPUT, find_cluster_outputs, is_cluster_output
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
    others = {str(each.path) for each in runs.values() if each is not store}
    has_profiles = False
    for found in find_profiles(directory):
        if _belongs(found.path, directory, others):
            has_profiles = True
            yield readable(path_below(directory, found.path, found.rank).as_posix()), found
    for path in () if has_profiles else find_cluster_outputs(directory):
        if _belongs(path, directory, others):
            yield readable(path.relative_to(directory).as_posix()), FoundProfile(path, CLUSTER_OUTPUT)


def _belongs(path: Path, directory: Path, others: Collection[str]) -> bool:
    """Return whether a profile lies in no directory of another run below ``directory``."""
    above = (parent for parent in path.parents if parent.is_relative_to(directory) and parent != directory)
    return not any(str(parent) in others for parent in above)


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
    found = next((found for found in find_profiles(path) if found.path == path and found.rank == rank), None)
    return FoundProfile(path, CLUSTER_OUTPUT) if found is None and is_cluster_output(path) else found
