// SPDX-License-Identifier: Apache-2.0
import { groupByPrefix } from "../core/series/tagGroups";
import type { Filter } from "../core/text/textFilter";
import { groupDigits } from "../core/text/format";
import { t } from "../i18n/i18n.svelte";
import type { NamedRun, PlannedCard, PlannedSection, Setting } from "./html/model";
import { colors } from "../state/view/runColors.svelte";
import { pins } from "../state/annotations/pins.svelte";
import { runs } from "../state/data/runs.svelte";
import { selection } from "../state/view/selection.svelte";
import { view } from "../state/view/view.svelte";

/** The shown runs that hold any of these tags, as the legend of a saved view names them. */
export function holdersOf(tags: readonly { runs: readonly string[] }[]): NamedRun[] {
  const holders = new Set(tags.flatMap((tag) => tag.runs));
  return namedRuns(selection.shown.filter((run) => holders.has(run)));
}

/** Runs as the legend of a saved view names them. */
export function namedRuns(names: readonly string[]): NamedRun[] {
  return names.map((name) => {
    const run = runs.byId.get(name);
    const step = run?.last_step ?? null;
    const state = run
      ? [t(`state.${run.state}`), ...(step === null ? [] : [t("images.step", { step: groupDigits(step) })])].join(" · ")
      : "";
    return { name, color: colors.of(name), dash: colors.dashOf(name), state };
  });
}

export function namedRun(name: string): { name: string; color: string } {
  return { name, color: colors.of(name) };
}

/** The filter in words; empty without a filter. */
export function filterSetting(filter: Filter = view.filter): Setting[] {
  if (filter.text === "") return [];
  return [{ name: t("saved.filter"), value: filter.isRegex ? t("saved.regex", { text: filter.text }) : filter.text }];
}

/** Tags as the page lists them: pinned ones first, then by prefix. */
export function sectionsOf<Tag extends { kind: string; tag: string }>(
  tags: readonly Tag[],
  toCards: (tags: readonly Tag[]) => PlannedCard[],
): PlannedSection[] {
  const { pinned, rest } = pins.split(tags);
  const groups = groupByPrefix(rest);
  const sections = groups.map(({ prefix, items }) => ({ title: prefix === "" ? t("scalars.ungrouped") : prefix, cards: toCards(items) }));
  return pinned.length === 0 ? sections : [{ title: t("scalars.pinned"), cards: toCards(pinned) }, ...sections];
}
