# SPDX-License-Identifier: Apache-2.0
"""Alerts of runs that ended come from the cache in the next process, unless files, rules or parameters changed."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from mindscope.alerts import Alert, Monitor, Parameters, Rule, expression_rule
from mindscope.alerts.checked_runs import CheckedRuns
from mindscope.alerts.monitor import ALL_CHECKS
from mindscope.ingest import Catalog

from .made_logs import NOW, losses, write_losses


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """Runs with a problem each."""
    for name, values in losses().items():
        write_losses(tmp_path / "runs" / name, values)
    return tmp_path / "runs"


@contextmanager
def process(
    base: Path, rules: Sequence[Rule] = ALL_CHECKS, parameters: Parameters | None = None
) -> Generator[tuple[Catalog, list[Alert]]]:
    """The catalog and the alerts of a viewer, which saves them at its end."""
    catalog = Catalog(base, base.parent / "workspace")
    catalog.refresh()
    catalog.wait_until_saved()
    checked = CheckedRuns(catalog.cache_table, parameters or Parameters())
    checked.open()
    monitor = Monitor(catalog, parameters, rules, checked=checked)
    for run in catalog.runs:
        monitor.update(run)
    yield catalog, monitor.alerts(NOW)
    checked.close(catalog.runs)
    catalog.close()


def damage_curves(base: Path) -> None:
    """Damage the saved points: who needs a curve reads the log again, which ``scanned_bytes`` counts."""
    chunks = list((base.parent / "workspace").rglob("*.chunk"))
    assert chunks
    for chunk in chunks:
        chunk.write_bytes(bytes(chunk.stat().st_size))


def test_the_next_process_reads_no_curve_of_a_run_that_ended(base: Path) -> None:
    with process(base) as (_, first):
        assert {alert.rule for alert in first} == {"nan", "spike", "divergence", "plateau"}
    damage_curves(base)
    with process(base) as (catalog, again):
        assert repr(again) == repr(first)  # NaN is not equal to itself
        assert catalog.scanned_bytes == 0
        Monitor(catalog).update("plateau")
        assert catalog.scanned_bytes > 0


def test_a_run_that_grew_is_checked_again(base: Path) -> None:
    with process(base) as (_, first):
        pass
    write_losses(base / "plateau", [float("nan")] * 3, first_step=601)
    with process(base) as (_, again):
        assert {(alert.rule, alert.run) for alert in again} == {("nan", "plateau"), *((a.rule, a.run) for a in first)}


def test_other_rules_and_parameters_are_looked_for(base: Path) -> None:
    with process(base):
        pass
    limit = expression_rule("limit", "value > 10", tag="train/loss")
    with process(base, [limit]) as (_, found):
        assert {(alert.rule, alert.message) for alert in found} == {("limit", "value > 10")}
    damage_curves(base)
    with process(base, [limit]) as (catalog, again):
        assert repr(again) == repr(found)
        assert catalog.scanned_bytes == 0
    elsewhere = expression_rule("limit", "value > 10", tag="train/loss", runs="plat*")
    with process(base, [elsewhere]) as (_, none):
        assert none == []
    with process(base, parameters=Parameters(loss_tags=("other",))) as (_, quiet):
        assert quiet == []


@pytest.mark.parametrize("damage", [b"", b"x" * 400, b'{"format": 1}'])
def test_a_damaged_table_is_made_again(base: Path, damage: bytes) -> None:
    with process(base) as (_, first):
        pass
    (table,) = (base.parent / "workspace").rglob("alerts.index")
    table.write_bytes(damage)
    for _ in range(2):
        with process(base) as (_, again):
            assert repr(again) == repr(first)  # NaN is not equal to itself
