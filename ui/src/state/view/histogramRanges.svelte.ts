// SPDX-License-Identifier: Apache-2.0
import type { Range } from "../../core/scales/axis";
import { selection } from "./selection.svelte";

/** The values that histograms of a tag have in the shown runs, so that their cards have one scale. */
class HistogramRanges {
  #ranges = $state.raw<ReadonlyMap<string, ReadonlyMap<string, Range>>>(new Map());

  /** What all cards of a tag have that were in sight; null before the first one. */
  of(tag: string): Range | null {
    const runs = [...(this.#ranges.get(tag) ?? [])].filter(([run]) => selection.isShown(run));
    return runs.reduce<Range | null>((all, [, [low, high]]) => (all ? [Math.min(all[0], low), Math.max(all[1], high)] : [low, high]), null);
  }

  note(tag: string, run: string, range: Range): void {
    const runs = this.#ranges.get(tag);
    const known = runs?.get(run);
    if (known && known[0] === range[0] && known[1] === range[1]) return;
    this.#ranges = new Map(this.#ranges).set(tag, new Map(runs).set(run, range));
  }
}

export const histogramRanges = new HistogramRanges();
