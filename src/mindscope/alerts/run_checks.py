# SPDX-License-Identifier: Apache-2.0
"""All checks of one run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mindscope.alerts.alert import Alert, Finding, TensorHits, alert_id
from mindscope.alerts.histograms import HistogramCheck, dead, exploding, vanishing
from mindscope.alerts.losses import Check, LossDivergence, NotFinite
from mindscope.alerts.parameters import Parameters
from mindscope.alerts.plateau import Plateau
from mindscope.alerts.rules import CHECKS, Rule
from mindscope.alerts.series_checks import ConditionCheck, HistogramChecks, LossChecks
from mindscope.alerts.spikes import Spikes
from mindscope.store import ReferenceSeries, RunStore, ScalarSeries
from mindscope.types import Kind


class RunChecks:
    """The checks of one run; only one thread at a time may use them."""

    def __init__(self, store: RunStore, parameters: Parameters, rules: Sequence[Rule]) -> None:
        self.store = store
        self._parameters = parameters
        self._losses: dict[str, LossChecks] = {}  # by tag
        self._histograms: dict[str, HistogramChecks] = {}  # by tag
        self._conditions: dict[Rule, ConditionCheck] = {}
        self._checks: frozenset[str] = frozenset()  # names of the enabled checks
        self.set_rules(rules)

    def set_rules(self, rules: Sequence[Rule]) -> None:
        """Have these rules from now on; conditions that were there before go on."""
        checks = frozenset(rule.name for rule in rules if rule.is_check)
        if checks != self._checks:
            self._losses.clear()
            self._histograms.clear()
        self._checks = checks
        wanted = [rule for rule in rules if rule.condition is not None and rule.is_for(self.store.id)]
        self._conditions = {rule: self._conditions.get(rule) or ConditionCheck(rule) for rule in wanted}

    def read(self) -> tuple[Alert, ...]:
        """Check new values; returns all current alerts."""
        for (kind, tag), series in self.store.series.items():
            if kind is Kind.SCALAR and isinstance(series, ScalarSeries):
                self._read_loss(tag, series)
            elif kind is Kind.HISTOGRAM and isinstance(series, ReferenceSeries):
                self._read_histograms(tag, series)
        for condition in self._conditions.values():
            condition.read(self.store)
        return tuple(self._alerts())

    def _read_loss(self, tag: str, series: ScalarSeries) -> None:
        if tag not in self._losses and not _is_like(tag, self._parameters.loss_tags):
            return
        if tag not in self._losses:
            self._losses[tag] = LossChecks(self._begin_loss)
        self._losses[tag].read(series)

    def _begin_loss(self) -> Mapping[str, Check]:
        known = {"nan": NotFinite, "spike": Spikes, "divergence": LossDivergence, "plateau": Plateau}
        return {name: begin(self._parameters) for name, begin in known.items() if name in self._checks}

    def _read_histograms(self, tag: str, series: ReferenceSeries) -> None:
        checks = self._begin_histograms(tag)
        if checks:
            if tag not in self._histograms:
                self._histograms[tag] = HistogramChecks(tag, lambda: self._begin_histograms(tag))
            self._histograms[tag].read(self.store, series)

    def _begin_histograms(self, tag: str) -> Mapping[str, HistogramCheck]:
        are_gradients = _is_like(tag, self._parameters.gradient_tags)
        are_activations = _is_like(tag, self._parameters.activation_tags)
        known = (
            ("vanishing", vanishing, are_gradients),
            ("exploding", exploding, are_gradients),
            ("dead", dead, are_activations),
        )
        return {name: begin(self._parameters) for name, begin, fits in known if fits and name in self._checks}

    def _alerts(self) -> Iterator[Alert]:
        for tag, followed in (*self._losses.items(), *self._histograms.items()):
            for name, findings in followed.findings.items():
                for finding in findings:
                    if name != "vanishing" or not self._is_cancelled(tag, finding):
                        yield alert_of(name, self.store.id, tag, finding, CHECKS[name])
        for rule, condition in self._conditions.items():
            text = rule.condition.text if rule.condition else rule.name
            for finding in condition.findings:
                yield alert_of(rule.name, self.store.id, rule.tags[0], finding, text)

    def _is_cancelled(self, tag: str, finding: Finding) -> bool:
        """Return whether these are gradients of a bias whose weights still learn.

        The next layer cancels such a bias, for example a normalization, or the softmax after the keys of an
        attention. Its gradient is zero up to rounding, and nothing is wrong.
        """
        weights = self._histograms.get(tag.replace("bias", "weight")) if "bias" in tag else None
        if weights is None:
            return False
        return not any(_overlap(finding, each) for each in weights.findings.get("vanishing", ()))


def _overlap(one: Finding, other: Finding) -> bool:
    return one.step <= other.last_step and other.step <= one.last_step


def alert_of(rule: str, run: str, tag: str, finding: Finding, message: str, hits: TensorHits | None = None) -> Alert:
    """Return an alert with the id that belongs to it."""
    return Alert(alert_id(rule, run, tag, finding.step), rule, run, tag, finding, message, hits)


def _is_like(tag: str, parts: Sequence[str]) -> bool:
    lower = tag.lower()
    return any(part in lower for part in parts)
