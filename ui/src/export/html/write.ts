// SPDX-License-Identifier: Apache-2.0
import { t } from "../../i18n/i18n.svelte";
import { scriptJson } from "./markup";
import type { CardContent, PlannedCard, ViewPlan } from "./model";
import { cardMarkup, closingMarkup, openingMarkup, sectionEnd, sectionMarkup, valuesHead, type FileFacts } from "./page";
import { partValues } from "./partValues";

/** What could not be read, in words. */
export interface Issue {
  what: string;
  remedy: string;
  /** Nothing else can be read either. */
  isFinal: boolean;
}

export interface Progress {
  done: number;
  total: number;
  /** The card that is being read. */
  title: string;
}

interface Writing {
  facts: FileFacts;
  signal: AbortSignal;
  onprogress: (progress: Progress) => void;
  explain: (error: unknown) => Issue;
}

export interface WrittenView {
  file: Blob;
  cards: number;
  /** Titles of cards that hold only why they could not be read. */
  unread: readonly string[];
  /** Cards that would have made the file too large. */
  leftOut: number;
}

/** A card without which there is no file. */
export class CardFailure extends Error {
  readonly card: string;
  readonly issues: Issue;

  constructor(card: string, issues: Issue) {
    super(issues.what);
    this.card = card;
    this.issues = issues;
  }
}

/** Cards that are read at the same time. */
const AHEAD = 3;
/** Letters after which what is written becomes a blob, so that the browser may put it on the disk. */
const PART = 1 << 22;
/** Browsers open larger files badly, or not at all. */
const MOST = 200 << 20;

/**
 * Writes a view card by card. A card that can't be read says why in its place; one that fails for all raises CardFailure,
 * an aborted signal its reason.
 */
export async function writeView(plan: ViewPlan, writing: Writing): Promise<WrittenView> {
  const { facts, signal } = writing;
  const [page, values] = [new Parts(), new Parts()];
  const unread: string[] = [];
  let [cards, leftOut] = [0, 0];
  let hasSurfaces = false;
  page.add(openingMarkup(plan, facts));
  values.add(valuesHead(plan, facts));
  const contents = readAhead(
    plan.sections.flatMap((section) => section.cards),
    signal,
  );
  const total = contents.length;
  for (const [index, section] of plan.sections.entries()) {
    page.add(sectionMarkup(section, index, plan.sections.length === 1));
    for (const card of section.cards) {
      writing.onprogress({ done: cards, total, title: card.title });
      const isFull = page.size + values.size > MOST;
      const content = isFull ? tooMuch() : await contents[cards]!().catch((error: unknown) => whyNot(error, card, writing, unread));
      if (isFull) leftOut++;
      hasSurfaces ||= content.parts.some(({ kind }) => kind === "surface");
      page.add(cardMarkup(card, content, `card-${cards}`));
      values.add(`${cards > 0 ? "," : ""}\n${scriptJson(cardValues(card, content, section.title))}`);
      cards++;
    }
    page.add(sectionEnd());
  }
  const { beforeValues, afterValues } = closingMarkup(facts.nonce, hasSurfaces);
  const file = new Blob([...page.all(), beforeValues, ...values.all(), "\n]}</script>\n", afterValues], {
    type: "text/html;charset=utf-8",
  });
  return { file, cards, unread, leftOut };
}

/** Each card when it is its turn, while the next ones are under way already. */
function readAhead(cards: readonly PlannedCard[], signal: AbortSignal): (() => Promise<CardContent>)[] {
  const begun = new Map<number, Promise<CardContent>>();
  let next = 0;
  const begin = (until: number): void => {
    for (; next < Math.min(until, cards.length); next++) {
      const reading = cards[next]!.make(signal);
      // The awaiting caller handles the error; this avoids an unhandled rejection.
      reading.catch(() => undefined);
      begun.set(next, reading);
    }
  };
  return cards.map((_, index) => async () => {
    signal.throwIfAborted();
    begin(index + AHEAD);
    const content = await begun.get(index)!;
    begun.delete(index);
    signal.throwIfAborted();
    return content;
  });
}

function whyNot(error: unknown, card: PlannedCard, { signal, explain }: Writing, unread: string[]): CardContent {
  signal.throwIfAborted();
  const issues = explain(error);
  const title = card.run ? `${card.title} · ${card.run.name}` : card.title;
  if (issues.isFinal) throw new CardFailure(title, issues);
  unread.push(title);
  return {
    facts: [],
    parts: [{ kind: "notice", tone: "bad", text: t("saved.unread_because", { why: `${issues.what} ${issues.remedy}`.trim() }) }],
  };
}

function tooMuch(): CardContent {
  return { facts: [], parts: [{ kind: "notice", tone: "bad", text: t("saved.too_much", { size: `${MOST >> 20} MiB` }) }] };
}

function cardValues({ title, run }: PlannedCard, { facts, parts }: CardContent, section: string): object {
  return { section, title, run: run?.name ?? null, facts, parts: parts.map(partValues) };
}

/** Text in pieces: no string of a whole file is ever made. */
class Parts {
  size = 0;
  readonly #blobs: Blob[] = [];
  #texts: string[] = [];
  #letters = 0;

  add(text: string): void {
    this.#texts.push(text);
    this.#letters += text.length;
    this.size += text.length;
    if (this.#letters > PART) this.#flush();
  }

  all(): Blob[] {
    this.#flush();
    return this.#blobs;
  }

  #flush(): void {
    this.#blobs.push(new Blob(this.#texts));
    this.#texts = [];
    this.#letters = 0;
  }
}
