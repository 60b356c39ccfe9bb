# SPDX-License-Identifier: Apache-2.0
"""The profiles of runs as messages."""

from __future__ import annotations

from collections.abc import Sequence

from mindscope.ingest import Catalog
from mindscope.server.http.disconnect import while_connected
from mindscope.server.http.schema import ReasonEntry
from mindscope.server.profiles.files import profiles_of
from mindscope.server.profiles.schema import ProfileEntry, ProfilesAnswer, UnlistedRun
from mindscope.server.profiles.versions import size_of


def list_profiles(catalog: Catalog, runs: Sequence[str]) -> ProfilesAnswer:
    """Return the profiles of each run that has any."""
    known = catalog.runs
    profiles: list[ProfileEntry] = []
    unlisted: list[UnlistedRun] = []
    for id in while_connected(dict.fromkeys(runs)):
        store = known.get(id)
        if store is None:
            continue
        try:
            for name, found in profiles_of(store, known):
                status, steps = found.path.stat(), found.format.steps(found.path)
                profiles.append(
                    ProfileEntry(
                        run=id,
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
            unlisted.append(UnlistedRun(run=id, problem=ReasonEntry.of(error)))
    return ProfilesAnswer(profiles=profiles, unlisted=unlisted)
