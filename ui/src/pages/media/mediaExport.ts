// SPDX-License-Identifier: Apache-2.0
import { isMediaKind, type MediaKind } from "../../core/view/valueView";
import { planOfTag } from "../../core/view/chartPlan";
import { drawingSize } from "../../export/curvesPart";
import type { PlannedCard, ViewPlan } from "../../export/html/model";
import { countLines, scalarCards } from "../../export/scalarCards";
import { holdersOf, sectionsOf } from "../../export/selectedRuns";
import { stepSettings, type SavedMedia } from "../../export/stepCards";
import { t } from "../../i18n/i18n.svelte";
import type { TagRuns } from "../../state/data/tags.svelte";
import type { MediaDescriptors } from "../previews/kind";

/** Loads what saves some kinds; the returned function plans the cards of tags, or of the one that fills the page. */
export async function mediaExport(
  media: MediaDescriptors,
  kinds: readonly MediaKind[],
): Promise<(full: TagRuns | undefined, matching: readonly TagRuns[]) => ViewPlan> {
  const saved = new Map<string, SavedMedia>(await Promise.all(kinds.map(async (kind) => [kind, await media[kind].saved()] as const)));
  return (full, matching) => {
    const tags = full ? [full] : matching;
    const isFull = full !== undefined;
    const shown = [...saved].filter(([kind]) => tags.some((tag) => tag.kind === kind)).map(([, one]) => one);
    return {
      page: "media",
      title: t(kinds.length === 1 ? media[kinds[0]!].title : "nav.media"),
      runs: holdersOf(tags),
      settings: [...stepSettings(), ...shown.flatMap(({ settings }) => settings?.(isFull) ?? [])],
      sections: sectionsOf(tags, (some) => some.flatMap((tag) => cardsOf(tag, saved.get(tag.kind), isFull))),
      filter: shown.map(({ filter }) => filter?.(isFull)).find((filter) => filter !== undefined),
    };
  };
}

function cardsOf(tag: TagRuns, saved: SavedMedia | undefined, isFull: boolean): PlannedCard[] {
  if (isMediaKind(tag.kind)) return saved?.cards([tag], isFull) ?? [];
  const plans = [planOfTag(tag)];
  return scalarCards(plans, null, drawingSize(2), countLines(plans));
}
