// SPDX-License-Identifier: Apache-2.0
import { t } from "../../i18n/i18n.svelte";
import { annotations } from "../../state/annotations/annotations.svelte";
import { runs } from "../../state/data/runs.svelte";
import { waiting } from "../../state/requests/pendingRequests.svelte";
import { problemOf } from "../../state/requests/problem";
import { pageLocation } from "../../state/view/location.svelte";
import { cardAddress } from "../../state/view/reports.svelte";
import { colors } from "../../state/view/runColors.svelte";
import { selection } from "../../state/view/selection.svelte";
import { view } from "../../state/view/view.svelte";
import { zooms } from "../../state/view/zooms.svelte";
import { fitDrawings } from "../curvesPart";
import type { CardContent, CardPin, DrawnCard, PlannedCard } from "../html/model";
import { planOf, type PagePlan } from "../pagePlan";
import type { CardsAnswer, CardsProblem, CardsQuery, ReadCards } from "./messages";

const LOOK_MS = 20;
/** The page asks for nothing during this time: it has all that it shows. */
const QUIET_MS = 60;
/** So long a page without data is given to begin with its requests. */
const EMPTY_MS = 1_500;
const PATIENCE_MS = 60_000;

/** The server keeps no longer address. */
const MOST_LETTERS = 20_000;

/** Runs of all pages that were opened: a run has one color in all cards. */
let opened: readonly string[] = [];
const openedRuns = (): readonly string[] => (opened = [...new Set([...opened, ...selection.shown])]);

class GoneError extends Error {}

/** Answers queries of the report that this viewer is a frame of: opens the page of each, and reads its cards. */
export function serveCards(report: Window): void {
  const send = (answer: CardsAnswer): void => report.postMessage(answer, location.origin);
  addEventListener("message", ({ source, origin, data }: MessageEvent<CardsQuery>) => {
    if (source !== report || origin !== location.origin) return;
    readCards(data).then(
      (value) => send({ id: data.id, value }),
      (error: unknown) => send({ id: data.id, problem: problemFor(error) }),
    );
  });
  send({ id: null });
}

async function readCards({ address, card: wanted, isHalf }: CardsQuery): Promise<ReadCards> {
  colors.follow(openedRuns);
  fitDrawings(isHalf ? "half" : wanted ? "full" : null);
  pageLocation.go(address, true);
  const { signal } = new AbortController();
  const page = await whenSettled();
  const plan = await page?.plan(signal);
  const all = plan?.sections.flatMap(({ cards }) => cards) ?? [];
  const cards = wanted ? all.filter(({ title, run }) => title === wanted.title && (run?.name ?? null) === (wanted.run ?? null)) : all;
  if (!plan || cards.length === 0) throw new GoneError();
  const contents: CardContent[] = [];
  for (const card of cards) contents.push(await contentOf(card, cards.length === 1, signal));
  const shown = wanted?.run ? plan.runs.filter(({ name }) => name === wanted.run) : plan.runs;
  return {
    cards: cards.map((card, index) => ({ card: headOf(card), content: contents[index]! })),
    runs: shown,
    filter: plan.filter,
    ...pinOf(plan.pin ?? (cards.length === 1 ? contents[0]!.pin : undefined), wanted?.run ?? null),
  };
}

/** A function can't be sent. */
function headOf(card: PlannedCard): DrawnCard {
  return Object.fromEntries(Object.entries(card).filter(([name]) => name !== "make")) as unknown as DrawnCard;
}

/** One of several cards that can't be read says why; a card alone raises it. */
async function contentOf({ make }: PlannedCard, isAlone: boolean, signal: AbortSignal): Promise<CardContent> {
  try {
    return await make(signal);
  } catch (error) {
    if (isAlone) throw error;
    const { what, remedy } = problemOf(error);
    return { facts: [], parts: [{ kind: "notice", tone: "bad", text: t("saved.unread_because", { why: `${what} ${remedy}`.trim() }) }] };
  }
}

/** What the page can save once it has read its data. An address of before leads to another page. */
async function whenSettled(): Promise<PagePlan | null> {
  let quiet = 0;
  for (let waited = 0; waited < PATIENCE_MS; waited += LOOK_MS) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    const isQuiet = waiting.count === 0 && runs.isLoaded && annotations.isRead;
    quiet = isQuiet ? quiet + LOOK_MS : 0;
    const page = planOf(pageLocation.path);
    const isThere = page !== null && !page.isEmpty() && (view.lineage.pair === null || page.isOver);
    if (isThere ? quiet >= QUIET_MS : quiet >= EMPTY_MS) return page;
  }
  return planOf(pageLocation.path);
}

/** No address where nothing keeps the cards as they are, or where it would be too long to be kept. */
function pinOf(pin: CardPin | undefined, run: string | null): Pick<ReadCards, "pinned" | "isTooLong"> {
  const pinned = pin ? pinnedAddress(pin, run) : null;
  const isTooLong = pinned !== null && pinned.length > MOST_LETTERS;
  return { pinned: isTooLong ? null : pinned, isTooLong };
}

/** The address of the page with the runs that it shows now, at the step or in the box of the card. */
function pinnedAddress(pin: CardPin, run: string | null): string {
  view.chooseRuns({ base: "none", except: run === null ? selection.shown : [run] });
  if ("view" in pin) return cardAddress(pin.view);
  if ("step" in pin) view.setStep(pin.step);
  else if (!zooms.isZoomed(pin.chart)) zooms.into(pin.chart, pin.box);
  return pageLocation.address(pageLocation.path);
}

function problemFor(error: unknown): CardsProblem {
  if (error instanceof GoneError) return { what: "", remedy: "", isGone: true };
  const { what, remedy } = problemOf(error);
  return { what, remedy, isGone: false };
}
