// SPDX-License-Identifier: Apache-2.0
import { groupDigits } from "../core/text/format";
import { rowAtStep } from "../core/series/steps";
import { formatWallTime } from "../core/text/time";
import { t } from "../i18n/i18n.svelte";
import type { CardContent, PlannedCard, Setting, ViewPlan } from "./html/model";
import type { CardSteps } from "../state/view/cardSteps.svelte";
import type { SeriesSource } from "../state/data/seriesSource";
import { readOnce } from "../state/requests/resourceCache";
import type { ValueKey, ValueList as Values } from "../state/data/values.svelte";
import { view } from "../state/view/view.svelte";
import { itemsOf, type SeriesItem } from "../state/data/seriesItem";
import type { TagRuns } from "../state/data/tags.svelte";
import { filterSetting, holdersOf, namedRun, sectionsOf } from "./selectedRuns";

interface ValueList {
  step: readonly number[];
  wall_time: readonly (number | null)[];
  id: readonly string[];
}

/** Tags of runs that show one step at a time. */
interface SteppedCards<List extends ValueList> {
  source: SeriesSource<List>;
  steps: CardSteps;
  isWide?: boolean;
  read: ReadStep<List>;
}

/** Reads what is shown of a value. */
type ReadStep<List> = (shown: ShownValue<List>, signal: AbortSignal) => Promise<CardContent>;

export interface ShownValue<List> {
  key: ValueKey;
  step: number;
  row: number;
  list: List;
}

/** A card for each tag and run, at the step that the page shows of it. */
export function steppedCards<List extends ValueList>(
  tags: readonly TagRuns[],
  { source, steps, isWide = false, read }: SteppedCards<List>,
): PlannedCard[] {
  return itemsOf(tags).map((item) => {
    const at = steps.of(item.key);
    return { title: item.tag, run: namedRun(item.run), isWide, make: (signal) => readStep(item, at, source, read, signal) };
  });
}

async function readStep<List extends ValueList>(
  { run, tag }: SeriesItem,
  at: number | null,
  source: SeriesSource<List>,
  read: ReadStep<List>,
  signal: AbortSignal,
): Promise<CardContent> {
  const list = await readOnce(source, { run, tag }, signal);
  const row = rowAtStep(list.step, at);
  if (row < 0) return { facts: [t("values.none")], parts: [] };
  const step = list.step[row]!;
  const { facts, parts } = await read({ key: { run, tag, id: list.id[row]! }, step, row, list }, signal);
  return {
    facts: [t("images.step", { step: groupDigits(step) }), formatWallTime(list.wall_time[row] ?? NaN), ...facts],
    parts,
    pin: { step },
  };
}

/** How a saved page shows the values of a kind. */
export interface SavedSteps {
  read: ReadStep<Values>;
  /** Of a tag that fills the page, where it shows more than a card. */
  readFull?: ReadStep<Values>;
  /** Settings of the page beside its filter and step. */
  settings?: (isFull: boolean) => Setting[];
}

interface SteppedPage {
  kind: string;
  /** Of the page. */
  name: string;
  title: string;
  tags: readonly TagRuns[];
  /** One tag fills the page. */
  isFull: boolean;
}

/** The view of a page whose values are shown one step at a time. */
export function steppedExport(
  { kind, name, title, tags, isFull }: SteppedPage,
  source: SeriesSource<Values>,
  steps: CardSteps,
  { read, readFull, settings }: SavedSteps,
): ViewPlan {
  const cards = isFull && readFull ? { source, steps, isWide: true, read: readFull } : { source, steps, read };
  return {
    page: name,
    title,
    runs: holdersOf(tags),
    settings: [...stepSettings(), ...(settings?.(isFull) ?? [])],
    sections: sectionsOf(kind, tags, (some) => steppedCards(some, cards)),
  };
}

/** The step of the page and its filter, in words. */
export function stepSettings(): Setting[] {
  const step = view.step === null ? t("images.newest") : t("saved.at_step", { step: groupDigits(view.step) });
  return [...filterSetting(), { name: t("tip.step"), value: step }];
}
