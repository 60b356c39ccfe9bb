// SPDX-License-Identifier: Apache-2.0
import type { TimeRange } from "../../../core/profiles/timeRange";
import { matcherFor, type Filter } from "../../../core/text/textFilter";
import { sliceNames, sliceSearch, type OfTimeline, type SearchAnswer, type SliceBrief } from "../../../state/data/profiles";
import { readOnce } from "../../../state/requests/resourceCache";

const WAIT_MS = 120;

/** Slices whose names match the search: how many, where in the range, and the next one. */
export class SliceFinder {
  count = $state<number | null>(null);
  /** Place of the found slice among all, from 1; null before a step. */
  position = $state<number | null>(null);
  hits = $state.raw<{ begin: number; pixelNs: number; pixels: readonly number[] } | null>(null);
  readonly #of: () => OfTimeline;
  #names: readonly number[] = [];
  #key = "";
  #timer: ReturnType<typeof setTimeout> | undefined;
  #abort = new AbortController();

  constructor(of: () => OfTimeline) {
    this.#of = of;
  }

  /** Searches a moment after the last change. */
  follow(filter: Filter, range: TimeRange, width: number): void {
    const { text, isRegex } = filter;
    clearTimeout(this.#timer);
    if (text.trim() === "" || width < 1) {
      this.#abort.abort();
      [this.count, this.position, this.hits, this.#names, this.#key] = [null, null, null, [], ""];
      return;
    }
    this.#timer = setTimeout(() => void this.#search({ text, isRegex }, range, width), WAIT_MS);
  }

  async step(after: { time: number; slice: number }, isBackwards: boolean): Promise<SliceBrief | null> {
    if (this.#names.length === 0) return null;
    const answer = await this.#ask({ after_ns: after.time, after_slice: after.slice, is_backwards: isBackwards }).catch(() => null);
    if (answer?.found) this.position = answer.position + 1;
    return answer?.found ?? null;
  }

  release(): void {
    clearTimeout(this.#timer);
    this.#abort.abort();
  }

  async #search(filter: Filter, range: TimeRange, width: number): Promise<void> {
    this.#abort.abort();
    const { signal } = (this.#abort = new AbortController());
    try {
      const names = await readOnce(sliceNames, this.#of(), signal);
      const { matches } = matcherFor(filter);
      const key = JSON.stringify(filter);
      this.#names = names.flatMap((name, number) => (matches(name) ? [number] : []));
      const pixelNs = Math.max(1, Math.ceil((range.end - range.begin) / width));
      const begin = Math.floor(range.begin);
      const answer = await this.#ask({ begin_ns: begin, pixel_ns: pixelNs, width }, signal);
      if (signal.aborted) return;
      if (key !== this.#key) this.position = null;
      this.#key = key;
      this.count = answer.count;
      this.hits = { begin, pixelNs, pixels: answer.pixels };
    } catch {
      // An aborted search, or one that the next move repeats.
    }
  }

  #ask(more: Partial<Parameters<typeof sliceSearch.read>[0]>, signal = new AbortController().signal): Promise<SearchAnswer> {
    const query = {
      ...this.#of(),
      names: [...this.#names],
      begin_ns: 0,
      pixel_ns: 1,
      width: 0,
      after_slice: -1,
      is_backwards: false,
      ...more,
    };
    return sliceSearch.read(query, signal, undefined);
  }
}
