# SPDX-License-Identifier: Apache-2.0
"""The profiles of runs as messages."""

from __future__ import annotations

from collections.abc import Sequence

from mindscope.artifacts.version import size_of
from mindscope.ingest import Catalog
from mindscope.server.http.run_stores import stores_of
from mindscope.server.http.schema import ReasonEntry
from mindscope.server.profiles.files import profiles_of
from mindscope.server.profiles.schema import ProfileEntry, ProfilesAnswer, UnlistedRun


def list_profiles(catalog: Catalog, runs: Sequence[str]) -> ProfilesAnswer:
    """Return the profiles of each run that has any."""
    profiles: list[ProfileEntry] = []
    unlisted: list[UnlistedRun] = []
    for store in stores_of(catalog, runs):
        try:
            for name, found in profiles_of(store, catalog.runs):
                status, steps = found.path.stat(), found.format.steps(found.path)
                profiles.append(
                    ProfileEntry(
                        run=store.id,
                        profile=name,
                        format=found.format.name,
                        format_title=found.format.title,
                        size_bytes=size_of(found.path),
                        modified_at=status.st_mtime,
                        first_step=steps[0] if steps else None,
                        last_step=steps[1] if steps else None,
                    )
                )
        except OSError as error:
            unlisted.append(UnlistedRun(run=store.id, problem=ReasonEntry.of(error)))
    return ProfilesAnswer(profiles=profiles, unlisted=unlisted)
