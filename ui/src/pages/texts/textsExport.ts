// SPDX-License-Identifier: Apache-2.0
import { t } from "../../i18n/i18n.svelte";
import type { CardContent, Part, ViewPlan } from "../../export/html/model";
import { readTexts } from "../../state/data/exportReads";
import type { TagRuns } from "../../state/data/tags.svelte";
import { textLists, type ValueList } from "../../state/data/values.svelte";
import { textSteps } from "../../state/view/cardSteps.svelte";
import { view } from "../../state/view/view.svelte";
import { steppedCards, stepSettings, type ShownValue } from "../../export/stepCards";
import { holdersOf, sectionsOf } from "../../export/selectedRuns";
import { renderMarkdown } from "./markdown";

/** Texts at the steps that the page shows, as Markdown or letter by letter as they are there. */
export function textsExport(full: TagRuns | undefined, matching: readonly TagRuns[]): ViewPlan {
  const settings = [...stepSettings(), { name: t("texts.way"), value: t(view.values.isPlain ? "texts.plain" : "texts.markdown") }];
  const sections = sectionsOf("text", full ? [full] : matching, (tags) =>
    steppedCards(tags, { source: textLists, steps: textSteps, read }),
  );
  return { page: "texts", title: t("nav.texts"), runs: holdersOf(full ? [full] : matching), settings, sections };
}

async function read({ key }: ShownValue<ValueList>, signal: AbortSignal): Promise<CardContent> {
  const texts = await readTexts(key, signal);
  const parts = texts.map((text): Part => ({ kind: "text", text, markup: view.values.isPlain ? null : markupOf(text) }));
  return { facts: [], parts: parts.length > 0 ? parts : [{ kind: "notice", tone: "note", text: t("texts.nothing") }] };
}

function markupOf(text: string): string {
  const holder = document.createElement("div");
  holder.append(renderMarkdown(text));
  return holder.innerHTML;
}
