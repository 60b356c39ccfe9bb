// SPDX-License-Identifier: Apache-2.0
import { planOfTag, type ChartPlan } from "../../core/view/chartPlan";
import { t } from "../../i18n/i18n.svelte";
import type { PlannedCard, ViewPlan } from "../../export/html/model";
import type { TagRuns } from "../../state/data/tags.svelte";
import { drawingSize } from "../../export/curvesPart";
import { countLines, curveSettings, scalarCards } from "../../export/scalarCards";
import { holdersOf, sectionsOf } from "../../export/selectedRuns";

/** The charts that match, also those that are far from sight; the one in full screen where there is one. */
export function scalarsExport(full: ChartPlan | undefined, matching: readonly TagRuns[], composed: readonly ChartPlan[]): ViewPlan {
  const all = full ? [full] : [...composed, ...matching.map(planOfTag)];
  const [size, lines] = [drawingSize(all.length), countLines(all)];
  const cards = (plans: readonly ChartPlan[]): PlannedCard[] => scalarCards(plans, null, size, lines);
  const sections = full
    ? [{ title: full.title, cards: cards([full]) }]
    : [
        ...(composed.length > 0 ? [{ title: t("scalars.composed"), cards: cards(composed) }] : []),
        ...sectionsOf("scalars", matching, (tags) => cards(tags.map(planOfTag))),
      ];
  return {
    page: "scalars",
    title: t("nav.scalars"),
    runs: holdersOf(all.flatMap(({ parts }) => parts)),
    settings: curveSettings(),
    sections,
  };
}
