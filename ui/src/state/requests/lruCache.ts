// SPDX-License-Identifier: Apache-2.0
const LIMIT_BYTES = 96 * 1024 * 1024;

/** Names every run, also one that is new. */
export const ANY_RUN = "any";
/** The runs on which a value depends; none for a value that never changes. */
export type RunDependency = readonly string[] | typeof ANY_RUN;

/** Whether a value expires after a change of these runs; null: any run may have changed. */
export function isAffected(runs: RunDependency, changed: ReadonlySet<string> | null): boolean {
  if (runs === ANY_RUN) return true;
  return changed ? runs.some((run) => changed.has(run)) : runs.length > 0;
}

interface Entry<T> {
  runs: RunDependency;
  value: T;
  bytes: number;
  /** False when a run has grown since; the page shows the value until the new one arrives. */
  isFresh: boolean;
}

/** A least-recently-used cache, limited by bytes. */
export class LruCache<T> {
  readonly #entries = new Map<string, Entry<T>>();
  readonly #limit: number;
  #bytes = 0;

  constructor(limitBytes = LIMIT_BYTES) {
    this.#limit = limitBytes;
  }

  get(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  isFresh(key: string): boolean {
    return this.#entries.get(key)?.isFresh ?? false;
  }

  put(key: string, runs: RunDependency, value: T, bytes: number, isFresh = true): void {
    this.#remove(key);
    this.#entries.set(key, { runs, value, bytes, isFresh });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#limit || oldest === key) break;
      this.#remove(oldest);
    }
  }

  /** Values of these runs (null: of all) are no longer fresh. */
  expire(runs: ReadonlySet<string> | null): void {
    for (const entry of this.#entries.values()) {
      if (isAffected(entry.runs, runs)) entry.isFresh = false;
    }
  }

  #remove(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }
}
