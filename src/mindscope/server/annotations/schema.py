# SPDX-License-Identifier: Apache-2.0
"""Messages about annotations. The ``version`` of a missing record is 0."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, StrictBool

from mindscope.server.http.schema import Answer, Coordinate, Failure, Query, ReasonEntry, Whole

LATEST = 2**53
Key = Annotated[str, Field(min_length=1, max_length=1000)]
Tag = Annotated[str, Field(min_length=1, max_length=1000)]
Label = Annotated[str, Field(min_length=1, max_length=100)]
Color = Annotated[str, Field(pattern=r"^(#[0-9a-f]{6}|[0-9])$")]
"""An index into the palette of the page, which has a color for each theme, or an RGB color."""

LONGEST_ADDRESS = 20_000
# \x85 and \ufeff are white space for some regular expressions only, so they are named
Address = Annotated[str, Field(pattern=r"^/($|[^/\\\s\x85\ufeff][^\s\x85\ufeff]*$)", max_length=LONGEST_ADDRESS)]
"""The URL of a page of the viewer from its path on, with all of its state."""

MAX_CHANGES = 10_000
MAX_BLOCKS = 500


class Stored(Query):
    """A record of the annotations. Ignores unknown fields, which a later version may have written."""

    model_config = ConfigDict(extra="ignore", json_schema_serialization_defaults_required=True)


class RunNotes(Stored):
    """Annotations of a run. ``color`` is an index into the palette, "0" to "9", or "#rrggbb"; null is automatic."""

    note: str = Field(default="", max_length=100_000)
    tags: list[Label] = Field(default=[], max_length=100)
    color: Color | None = None
    archived: StrictBool = False


class GroupNotes(Stored):
    """Annotations of a group of runs. ``color`` is as that of a run."""

    color: Color | None = None


class Threshold(Stored):
    """A rule for a tag, as an expression in which ``value`` is the tag: ``value > 2 or value < 0.1``.

    The rule may name ``step`` and other tags. It fires after it is true for ``for_steps`` consecutive logged steps, in
    runs whose id matches ``runs`` (with * and ?; null is all runs), if it is ``enabled``.
    """

    tag: Tag
    rule: str = Field(min_length=1, max_length=500)
    for_steps: Whole = Field(default=1, ge=1, le=1_000_000)
    runs: Annotated[str, Field(max_length=1000)] | None = None
    enabled: StrictBool = True


class Pin(Stored):
    """A pinned tag or chart: ``subject`` on ``page``, in the order of ``place``."""

    page: Label
    subject: Tag
    place: Coordinate = 0.0


class View(Stored):
    """A saved view: a page of the viewer with all of its state.

    ``is_start``: the page opens this view by default.
    """

    title: Annotated[str, Field(min_length=1, max_length=200)]
    address: Address
    note: str = Field(default="", max_length=100_000)
    is_start: StrictBool = False


class Mute(Stored):
    """Hides the alerts that match all fields that are not null.

    ``alert`` is the id of a dismissed alert. ``until`` is a wall time, null is forever.
    """

    alert: Label | None = None
    rule: Annotated[str, Field(max_length=500)] | None = None
    run: Annotated[str, Field(max_length=1000)] | None = None
    tag: Annotated[str, Field(max_length=1000)] | None = None
    until: Coordinate | None = None


class Target(Stored):
    """A column of the lineage table that runs are compared by: whether a high or a low value is better.

    ``is_chosen``: it was chosen last. If several are, any of them counts.
    """

    goal: Literal["max", "min"]
    is_chosen: StrictBool = False


class ReportCard(Stored):
    """A card of a page: its title, and its run if it shows one run."""

    title: Annotated[str, Field(max_length=2000)]
    run: Annotated[str, Field(max_length=1000)] | None


class ReportBlock(Stored):
    """A part of a report: a text in Markdown, or cards of the page at ``address``.

    ``card`` is one card of the page; null is all of them. ``pinned`` is the address with fixed runs, steps and ranges;
    null follows new data. ``is_half``: the block is half as wide as the report.
    """

    id: Label
    text: str = Field(max_length=100_000)
    address: Address | None
    card: ReportCard | None
    pinned: Address | None
    is_half: StrictBool


class Report(Stored):
    """A document of texts and cards, from top to bottom."""

    title: Annotated[str, Field(min_length=1, max_length=200)]
    blocks: list[ReportBlock] = Field(max_length=MAX_BLOCKS)


Author = Annotated[str, Field(max_length=200)]
"""The user whom a trusted proxy named; empty if none did."""


class RunNotesRecord(RunNotes):
    """Annotations of a run with their version, which a change must name. ``note_author`` wrote the note last."""

    version: Whole = Field(ge=0, le=LATEST)
    note_author: Author = ""


class GroupNotesRecord(GroupNotes):
    """Annotations of a group with their version, which a change must name."""

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


class TargetRecord(Target):
    """A target with its version."""

    version: Whole = Field(ge=0, le=LATEST)


class ReportRecord(Report):
    """A report with its version, and who changed it last."""

    version: Whole = Field(ge=0, le=LATEST)
    author: Author = ""


class AnnotationRecords(Answer):
    """Records by key: run ids, names of groups, ids of lineage columns for targets, and ids that clients choose.

    Null is a deleted record.
    """

    revision: int
    runs: dict[str, RunNotesRecord | None]
    groups: dict[str, GroupNotesRecord | None]
    thresholds: dict[str, ThresholdRecord | None]
    pins: dict[str, PinRecord | None]
    views: dict[str, ViewRecord | None]
    mutes: dict[str, MuteRecord | None]
    targets: dict[str, TargetRecord | None]
    reports: dict[str, ReportRecord | None]


class AnnotationsAnswer(AnnotationRecords):
    """All records. ``revision`` grows with each change; ``problem`` describes a problem of the file, else null."""

    problem: ReasonEntry | None
    is_writable: bool


class StaleAnswer(Answer):
    """409: the records have changed since. ``newer`` has the current records; nothing was written."""

    error: Failure
    newer: AnnotationRecords


class RunChange(RunNotes):
    """Change fields of a run; an absent field does not change."""

    model_config = ConfigDict(extra="forbid")

    run: Key
    version: Whole = Field(ge=0, le=LATEST)


class RunsChange(Query):
    """Change several runs: all of them, or none if a version is stale."""

    changes: list[RunChange] = Field(min_length=1, max_length=MAX_CHANGES)


class GroupChange(GroupNotes):
    """Change fields of a group, by the name in charts; an absent field does not change."""

    model_config = ConfigDict(extra="forbid")

    group: Key
    version: Whole = Field(ge=0, le=LATEST)


class GroupsChange(Query):
    """Change several groups: all of them, or none if a version is stale."""

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


class TargetChange(Query):
    """Write the target of a lineage column, or delete it with null."""

    id: Key
    version: Whole = Field(ge=0, le=LATEST)
    target: Target | None


class ReportChange(Query):
    """Write a report, or delete it with null."""

    id: Key
    version: Whole = Field(ge=0, le=LATEST)
    report: Report | None


class LiveAnnotations(Answer):
    """``event: annotations``: annotations have changed."""

    revision: int
