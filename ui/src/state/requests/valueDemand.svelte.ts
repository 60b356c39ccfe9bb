// SPDX-License-Identifier: Apache-2.0
import { isAbort } from "../../api/client";
import type { SeriesKey } from "../../api/routes";
import { onChanges } from "./runChanges";
import { problemOf, type Problem } from "./problem";
import { LruCache } from "./lruCache";

/** How values of a kind are read, and how much memory they take. `detail` says which of them, and how much. */
export interface ValueSource<T, Detail = null> {
  kind: string;
  /** `known` is the last answer to the same question, from before the log grew. */
  read: (series: SeriesKey, detail: Detail, signal: AbortSignal, known: T | undefined) => Promise<T>;
  bytes: (value: T) => number;
}

const cache = new LruCache<unknown>();
const ENTRY_BYTES = 256;

onChanges((changed) => cache.expire(changed));

/** The data of one series for one visible card, reloaded when the run grows, until it is released. */
export class ValueDemand<T, Detail = null> {
  value = $state.raw<T | null>(null);
  problem = $state.raw<Problem | null>(null);
  isLoading = $state(false);
  readonly #source: ValueSource<T, Detail>;
  #want: { series: SeriesKey; detail: Detail; key: string } | null = null;
  #request: AbortController | null = null;
  /** The run grew while the request was under way. */
  #isStale = false;
  #stop: () => void;

  constructor(source: ValueSource<T, Detail>) {
    this.#source = source;
    this.#stop = onChanges((changed) => this.#renew(changed));
  }

  /** Shows what is known at once; what is not, or not any more, is asked for. */
  want(series: SeriesKey, ...details: Detail extends null ? [] : [Detail]): void {
    const detail = (details[0] ?? null) as Detail;
    const key = JSON.stringify([this.#source.kind, series.run, series.tag, detail]);
    if (key === this.#want?.key) return;
    if (series.run !== this.#want?.series.run || series.tag !== this.#want.series.tag) this.value = null;
    this.#request?.abort();
    this.#request = null;
    this.#want = { series, detail, key };
    const known = cache.get(key) as T | undefined;
    if (known !== undefined) this.value = known;
    if (!cache.isFresh(key)) void this.#load();
  }

  retry(): void {
    this.problem = null;
    if (this.#want && !this.#request) void this.#load();
  }

  release(): void {
    this.#stop();
    this.#want = null;
    this.#request?.abort();
  }

  #renew(changed: ReadonlySet<string> | null): void {
    if (!this.#want || (changed && !changed.has(this.#want.series.run))) return;
    if (this.#request) this.#isStale = true;
    else void this.#load();
  }

  async #load(): Promise<void> {
    const want = this.#want!;
    const request = new AbortController();
    this.#request = request;
    this.#isStale = false;
    this.isLoading = true;
    try {
      const value = await this.#source.read(want.series, want.detail, request.signal, cache.get(want.key) as T | undefined);
      cache.put(want.key, want.series.run, value, this.#source.bytes(value) + ENTRY_BYTES, !this.#isStale);
      if (this.#request === request) this.value = value;
      this.problem = null;
    } catch (error) {
      if (!isAbort(error) && this.#request === request) this.problem = problemOf(error);
    } finally {
      if (this.#request === request) {
        this.#request = null;
        this.isLoading = false;
        if (this.#isStale && this.#want) void this.#load();
      }
    }
  }
}
