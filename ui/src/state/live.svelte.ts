// SPDX-License-Identifier: Apache-2.0
import { subscribe, type Change } from "../api/live";
import { alerts } from "./alerts.svelte";
import { announceChanges } from "./changes";
import { colours } from "./colours.svelte";
import { renewCurves } from "./curves.svelte";
import { notebook } from "./notebook.svelte";
import { paced } from "./pace";
import { runs } from "./runs.svelte";
import { selection } from "./selection.svelte";
import { listsOfTags } from "./tags.svelte";

export type LiveState = "connecting" | "live" | "paused" | "lost" | "once";

/** Keeps runs, tags and curves as new as the files. */
class Live {
  isPaused = $state(false);
  /** Seconds since the epoch of the last change that came in; null before the first. */
  updatedAt = $state<number | null>(null);
  #connection = $state<"connecting" | "open" | "lost">("connecting");
  #pending = new Set<string>();
  #isAllPending = false;
  #wasOpen = false;

  state = $derived.by<LiveState>(() => {
    if (this.#connection === "lost") return "lost";
    if (this.isPaused) return "paused";
    if (this.#connection === "connecting") return "connecting";
    return runs.server?.reload_interval === 0 ? "once" : "live";
  });

  #renewCurves = paced(() => this.#takeCurves(), () => 150);
  #renewLists = paced(() => void readLists(), () => listSpacing(runs.list.length));

  /** Follows the server, and reads everything as soon as no change can be missed; the returned function stops. */
  start(): () => void {
    return subscribe({
      onOpen: () => this.#opened(),
      onChange: (change) => this.#changed(change),
      onNotebook: () => void notebook.load(),
      onAlerts: () => alerts.load(),
      onLost: () => this.#lost(),
    });
  }

  toggle(): void {
    this.isPaused = !this.isPaused;
    if (!this.isPaused) this.#renew();
  }

  #opened(): void {
    this.#connection = "open";
    void notebook.load();
    alerts.reload();
    if (!this.#wasOpen) {
      this.#wasOpen = true;
      void readLists();
      return;
    }
    runs.server = null;
    this.#isAllPending = true;
    this.#renew();
  }

  #lost(): void {
    this.#connection = "lost";
  }

  #changed(change: Change): void {
    for (const run of change.runs) this.#pending.add(run);
    this.#renew();
  }

  #renew(): void {
    if (this.isPaused || (this.#pending.size === 0 && !this.#isAllPending)) return;
    this.updatedAt = Date.now() / 1000;
    this.#renewCurves();
    this.#renewLists();
  }

  #takeCurves(): void {
    const changed = this.#isAllPending ? null : this.#pending;
    renewCurves(changed);
    announceChanges(changed);
    this.#pending = new Set();
    this.#isAllPending = false;
  }
}

/** Milliseconds between two readings of the lists: new tags soon, and no megabytes every moment with many runs. */
function listSpacing(count: number): number {
  if (count <= 200) return 400;
  return count <= 1000 ? 1000 : 5000;
}

async function readLists(): Promise<void> {
  await runs.load();
  colours.assign(runs.all.map(({ id }) => id));
  selection.notice();
  for (const list of listsOfTags) if (list.isUsed) await list.reload();
}

export const live = new Live();

export { readLists };
