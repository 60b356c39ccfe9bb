// SPDX-License-Identifier: Apache-2.0
import { groupDigits } from "../core/text/format";
import { rowAtStep } from "../core/series/steps";
import { formatWallTime } from "../core/text/time";
import { t } from "../i18n/i18n.svelte";
import type { CardContent, PlannedCard, Setting } from "./html/model";
import { mediaSteps } from "../state/view/cardSteps.svelte";
import type { SeriesSource } from "../state/data/seriesSource";
import { readOnce } from "../state/requests/resourceCache";
import type { ValueKey } from "../state/data/values.svelte";
import { view } from "../state/view/view.svelte";
import { itemsOf, type SeriesItem } from "../state/data/seriesItem";
import type { TagRuns } from "../state/data/tags.svelte";
import { filterSetting, namedRun } from "./selectedRuns";

interface ValueList {
  step: readonly number[];
  wall_time: readonly (number | null)[];
  id: readonly string[];
}

/** Reads what is shown of a value. */
type ReadStep<List> = (shown: ShownValue<List>, signal: AbortSignal) => Promise<CardContent>;

export interface ShownValue<List> {
  key: ValueKey;
  step: number;
  row: number;
  list: List;
}

/** How a saved page shows the media of a kind. */
export interface SavedMedia {
  /** A card for each tag and run, at the step that the page shows of it; or what a tag that fills the page shows. */
  cards: (tags: readonly TagRuns[], isFull: boolean) => PlannedCard[];
  /** Settings of the kind. */
  settings?: (isFull: boolean) => Setting[];
  /** CSS filter of pictures. */
  filter?: (isFull: boolean) => string | undefined;
}

interface SteppedMedia<List extends ValueList> extends Omit<SavedMedia, "cards"> {
  source: SeriesSource<List>;
  read: ReadStep<List>;
  /** Of a tag that fills the page, where it shows other than a card. */
  readFull?: ReadStep<List>;
  isFullWide?: boolean;
}

export function savedMedia<List extends ValueList>({
  source,
  read,
  readFull,
  isFullWide = false,
  ...rest
}: SteppedMedia<List>): SavedMedia {
  return {
    ...rest,
    cards: (tags, isFull) =>
      itemsOf(tags).map((item) => {
        const at = mediaSteps.of(item.key);
        const readCard = (isFull && readFull) || read;
        return {
          title: item.tag,
          run: namedRun(item.run),
          isWide: isFull && isFullWide,
          make: (signal) => readStep(item, at, source, readCard, signal),
        };
      }),
  };
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

/** The step of the page and its filter, in words. */
export function stepSettings(): Setting[] {
  const step = view.step === null ? t("images.newest") : t("saved.at_step", { step: groupDigits(view.step) });
  return [...filterSetting(), { name: t("tip.step"), value: step }];
}
