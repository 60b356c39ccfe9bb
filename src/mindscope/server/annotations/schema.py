# SPDX-License-Identifier: Apache-2.0
"""Messages about people's own data. A record's ``version`` is 0 where nothing stands yet."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field, StrictBool

from mindscope.server.http.schema import Answer, Coordinate, Failure, Query, ReasonEntry, Whole

LATEST = 2**53
Key = Annotated[str, Field(min_length=1, max_length=1000)]
Tag = Annotated[str, Field(min_length=1, max_length=1000)]
Label = Annotated[str, Field(min_length=1, max_length=100)]
Colour = Annotated[str, Field(pattern=r"^(#[0-9a-f]{6}|[0-9])$")]
"""A place of the page's palette, which has one colour for each theme, or a colour of its own."""

MAX_CHANGES = 10_000


class Stored(Query):
    """What stands in the annotations; a later mindscope may have written more fields, which are left alone."""

    model_config = ConfigDict(extra="ignore", json_schema_serialization_defaults_required=True)


class RunNotes(Stored):
    """What people keep about a run. ``colour`` is a place of the palette, "0" to "9", or "#rrggbb"; null: as given."""

    note: str = Field(default="", max_length=100_000)
    tags: list[Label] = Field(default=[], max_length=100)
    colour: Colour | None = None
    archived: StrictBool = False


class GroupNotes(Stored):
    """What people keep about runs that are drawn as one. ``colour`` is as that of a run."""

    colour: Colour | None = None


class Threshold(Stored):
    """A rule for a tag, as an expression in which ``value`` is the tag: ``value > 2 or value < 0.1``.

    It also may name ``step`` and other tags. It fires once it held for ``for_steps`` logged steps in a row, in runs
    whose id is like ``runs`` (with * and ?; null: in all), while it is ``enabled``.
    """

    tag: Tag
    rule: str = Field(min_length=1, max_length=500)
    for_steps: Whole = Field(default=1, ge=1, le=1_000_000)
    runs: Annotated[str, Field(max_length=1000)] | None = None
    enabled: StrictBool = True


class Pin(Stored):
    """What stands first on a page: the tag or chart ``subject`` of ``page``, in the order of ``place``."""

    page: Label
    subject: Tag
    place: Coordinate = 0.0


class View(Stored):
    """A view that somebody saved: ``address`` is the page's own, from the path on, with all of its state.

    ``is_start``: the page opens it where no other view is asked for.
    """

    title: Annotated[str, Field(min_length=1, max_length=200)]
    address: Annotated[str, Field(pattern=r"^/($|[^/\\\s]\S*$)", max_length=20_000)]
    note: str = Field(default="", max_length=100_000)
    is_start: StrictBool = False


class Mute(Stored):
    """Alerts that nobody is to be shown: those for which every field that is not null fits.

    ``alert`` is the id of one that was dismissed. ``until`` is a wall time, null: for good.
    """

    alert: Label | None = None
    rule: Annotated[str, Field(max_length=500)] | None = None
    run: Annotated[str, Field(max_length=1000)] | None = None
    tag: Annotated[str, Field(max_length=1000)] | None = None
    until: Coordinate | None = None


class RunNotesRecord(RunNotes):
    """Notes with the version to name when they are changed."""

    version: Whole = Field(ge=0, le=LATEST)


class GroupNotesRecord(GroupNotes):
    """Notes about a group with the version to name when they are changed."""

    version: Whole = Field(ge=0, le=LATEST)


class Bound(Answer):
    """A line to draw for a threshold: the rule has a part ``value OPERATOR limit``."""

    operator: str
    limit: float


class ThresholdRecord(Threshold):
    """A threshold with its version, and the lines to draw for it; ``problem`` says why the rule can't be read."""

    version: Whole = Field(ge=0, le=LATEST)
    bounds: list[Bound] = Field(default=[])
    problem: ReasonEntry | None = None


class PinRecord(Pin):
    """A pin with its version."""

    version: Whole = Field(ge=0, le=LATEST)


class ViewRecord(View):
    """A view with its version."""

    version: Whole = Field(ge=0, le=LATEST)


class MuteRecord(Mute):
    """A mute with its version."""

    version: Whole = Field(ge=0, le=LATEST)


class AnnotationRecords(Answer):
    """Records by key: run ids, names of groups, and ids that clients choose. Null: there is none any more."""

    revision: int
    runs: dict[str, RunNotesRecord | None]
    groups: dict[str, GroupNotesRecord | None]
    thresholds: dict[str, ThresholdRecord | None]
    pins: dict[str, PinRecord | None]
    views: dict[str, ViewRecord | None]
    mutes: dict[str, MuteRecord | None]


class AnnotationsAnswer(AnnotationRecords):
    """Everything. ``revision`` grows with every change; ``problem`` is for people, null when all is well."""

    problem: ReasonEntry | None
    is_writable: bool


class StaleAnswer(Answer):
    """409: somebody changed these records meanwhile. ``newer`` is how they are now; nothing was written."""

    error: Failure
    newer: AnnotationRecords


class RunChange(RunNotes):
    """Change some notes of a run: a field that is absent stays as it is."""

    model_config = ConfigDict(extra="forbid")

    run: Key
    version: Whole = Field(ge=0, le=LATEST)


class RunsChange(Query):
    """Change notes of some runs: of all of them, or when one is stale of none."""

    changes: list[RunChange] = Field(min_length=1, max_length=MAX_CHANGES)


class GroupChange(GroupNotes):
    """Change some notes about a group, which goes by the name that charts show: a field that is absent stays."""

    model_config = ConfigDict(extra="forbid")

    group: Key
    version: Whole = Field(ge=0, le=LATEST)


class GroupsChange(Query):
    """Change notes about some groups: about all of them, or when one is stale about none."""

    changes: list[GroupChange] = Field(min_length=1, max_length=MAX_CHANGES)


class ThresholdChange(Query):
    """Write a threshold, or delete it with null."""

    id: Key
    version: Whole = Field(ge=0, le=LATEST)
    threshold: Threshold | None


class PinChange(Query):
    """Write a pin, or delete it with null."""

    id: Key
    version: Whole = Field(ge=0, le=LATEST)
    pin: Pin | None


class ViewChange(Query):
    """Write a view, or delete it with null."""

    id: Key
    version: Whole = Field(ge=0, le=LATEST)
    view: View | None


class MuteChange(Query):
    """Write a mute, or delete it with null."""

    id: Key
    version: Whole = Field(ge=0, le=LATEST)
    mute: Mute | None


class LiveAnnotations(Answer):
    """``event: annotations``: people's own data was changed, by whomever."""

    revision: int
