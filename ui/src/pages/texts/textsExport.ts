// SPDX-License-Identifier: Apache-2.0
import { t } from "../../i18n/i18n.svelte";
import type { CardContent, Part, Setting } from "../../export/html/model";
import { readTexts } from "../../state/data/exportReads";
import { valueLists, type ValueList } from "../../state/data/values.svelte";
import { view } from "../../state/view/view.svelte";
import { savedMedia, type ShownValue } from "../../export/stepCards";
import { renderMarkdown } from "./markdown";

export const textMedia = savedMedia({ source: valueLists("text"), read, settings });

/** Texts as Markdown, or letter by letter as they are there. */
function settings(): Setting[] {
  return [{ name: t("texts.way"), value: t(view.values.isPlain ? "texts.plain" : "texts.markdown") }];
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
