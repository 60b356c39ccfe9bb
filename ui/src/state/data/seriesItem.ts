// SPDX-License-Identifier: Apache-2.0
import { compareNames } from "../../core/text/naturalSort";
import type { TagRuns } from "./tags.svelte";

/** A tag of a run: what one card shows. */
export interface SeriesItem {
  key: string;
  kind: string;
  tag: string;
  run: string;
}

/** Cards of tags: by tag, then by run. */
export function itemsOf(tags: readonly TagRuns[]): SeriesItem[] {
  return tags.flatMap(({ kind, tag, runs }) =>
    [...runs].sort(compareNames).map((run) => ({ key: JSON.stringify([kind, run, tag]), kind, tag, run })),
  );
}

/** One card for each tag, with all its runs in it; its `run` is empty. */
export function oneItemATag(tags: readonly TagRuns[]): SeriesItem[] {
  return tags.map(({ kind, tag }) => ({ key: JSON.stringify([kind, tag]), kind, tag, run: "" }));
}
