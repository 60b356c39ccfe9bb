// SPDX-License-Identifier: Apache-2.0
import { CardsError } from "../../export/frame/cardFrame";
import type { CardContent, DrawnCard, NamedRun, PlannedCard, PlannedSection, ViewPlan } from "../../export/html/model";
import { REPORT } from "../../export/html/page";
import { t } from "../../i18n/i18n.svelte";
import type { ReportBlock } from "../../state/annotations/annotations.svelte";
import type { NamedReport } from "../../state/view/reports.svelte";
import { renderMarkdown } from "../texts/markdown";
import { addressOf, type Readers } from "./readers.svelte";

/** A report as a file: its blocks from top to bottom, and the runs that any of them shows. */
export async function reportPlan({ title, blocks }: NamedReport, readers: Readers, signal: AbortSignal): Promise<ViewPlan> {
  await readers.bringAll(blocks);
  signal.throwIfAborted();
  const runs = new Map(blocks.flatMap(({ id }) => readers.of(id).value?.runs ?? []).map((run): [string, NamedRun] => [run.name, run]));
  const sections = blocks.map((block) => sectionOf(block, readers));
  return { page: REPORT, title, runs: [...runs.values()], settings: [], sections };
}

function sectionOf(block: ReportBlock, readers: Readers): PlannedSection {
  const isHalf = block.is_half;
  if (block.address === null) {
    const { card, content } = textCard(block.text);
    return { title: "", isHalf, cards: [{ ...card, make: () => Promise.resolve(content) }] };
  }
  const { value, problem } = readers.of(block.id);
  if (value) return { title: "", isHalf, filter: value.filter, cards: value.cards.map(planned) };
  const error = new CardsError(problem ?? { what: "", remedy: "", isGone: true });
  const text = error.problem.isGone ? t("report.gone", { address: addressOf(block) }) : `${error.problem.what} ${error.problem.remedy}`;
  const content: CardContent = { facts: [], parts: [{ kind: "notice", tone: "bad", text }] };
  const card = { title: block.card?.title ?? "", run: null };
  return { title: "", isHalf, cards: [{ ...card, make: () => Promise.resolve(content) }] };
}

function planned({ card, content }: { card: DrawnCard; content: CardContent }): PlannedCard {
  return { ...card, make: () => Promise.resolve(content) };
}

/** A text block as a card. */
export function textCard(text: string): { card: DrawnCard; content: CardContent } {
  const holder = document.createElement("div");
  holder.append(renderMarkdown(text));
  const card = { title: "", run: null, isProse: true };
  return { card, content: { facts: [], parts: [{ kind: "text", text, markup: holder.innerHTML }] } };
}
