// SPDX-License-Identifier: Apache-2.0
import { compareNames } from "../../core/text/naturalSort";
import type { TagRuns } from "./tags.svelte";

/** A tag of a run: what one card shows. */
export interface SeriesItem {
  key: string;
  tag: string;
  run: string;
}

/** Cards of tags: by tag, then by run. */
export function itemsOf(tags: readonly TagRuns[]): SeriesItem[] {
  return tags.flatMap(({ tag, runs }) => [...runs].sort(compareNames).map((run) => ({ key: JSON.stringify([run, tag]), tag, run })));
}

/** One card for each tag, with all its runs in it; its `run` is empty. */
export function oneItemATag(tags: readonly TagRuns[]): SeriesItem[] {
  return tags.map(({ tag }) => ({ key: JSON.stringify([tag]), tag, run: "" }));
}
