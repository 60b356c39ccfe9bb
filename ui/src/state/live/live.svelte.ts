// SPDX-License-Identifier: Apache-2.0
import { subscribe } from "../../api/live";
import { holdsTheSame } from "../../core/runs/runList";
import { alerts } from "./alerts.svelte";
import { announceChanges } from "../requests/runChanges";
import { colors } from "../view/runColors.svelte";
import { renewCurves } from "../charts/curves.svelte";
import { annotations } from "../annotations/annotations.svelte";
import { throttle } from "../requests/throttle";
import { runs } from "../data/runs.svelte";
import { selection } from "../view/selection.svelte";
import { listsOfTags } from "../data/tags.svelte";

export type LiveState = "connecting" | "live" | "paused" | "lost" | "once";

const STATES_MS = 20_000;

/** Keeps runs, tags and curves as new as the files. */
class Live {
  isPaused = $state(false);
  /** Seconds since the epoch of the last change that came in; null before the first. */
  updatedAt = $state<number | null>(null);
  #connection = $state<"connecting" | "open" | "lost">("connecting");
  #pending = new Set<string>();
  /** Something changed since the last request, possibly without a change of a run. */
  #isNews = false;
  #isAllPending = false;
  /** The server may be another one: nothing that is known of tags counts. */
  #isAnother = false;
  #wasOpen = false;

  state = $derived.by<LiveState>(() => {
    if (this.#connection === "lost") return "lost";
    if (this.isPaused) return "paused";
    if (this.#connection === "connecting") return "connecting";
    return runs.server?.reload_interval === 0 ? "once" : "live";
  });

  #renewCurves = throttle(
    () => this.#takeCurves(),
    () => 150,
  );
  #renewLists = throttle(
    () => this.#readLists(),
    () => listSpacing(runs.list.length),
  );

  /** Reads everything, and follows the server; the returned function stops. */
  start(): () => void {
    this.#readAll();
    const timer = setInterval(() => this.#askStates(), STATES_MS);
    const stop = subscribe({
      onOpen: () => this.#opened(),
      onChange: (change) => this.#changed(change.runs),
      onAnnotations: () => void annotations.load(),
      onAlerts: () => alerts.load(),
      onLost: () => this.#lost(),
    });
    return () => {
      clearInterval(timer);
      stop();
    };
  }

  toggle(): void {
    this.isPaused = !this.isPaused;
    if (!this.isPaused) this.#renew();
  }

  #opened(): void {
    this.#connection = "open";
    if (!this.#wasOpen) {
      this.#wasOpen = true;
      void this.#catchUp();
      return;
    }
    void annotations.load();
    alerts.reload();
    runs.server = null;
    this.#isAnother = true;
    this.#isAllPending = true;
    this.#isNews = true;
    this.#renew();
  }

  #readAll(): void {
    void annotations.load();
    alerts.reload();
    this.#readLists();
  }

  /** Reads what changed while the stream was opening: the server sends only what changes from now on. */
  async #catchUp(): Promise<void> {
    void annotations.load();
    alerts.reload();
    const before = runs.byId;
    await readLists(false);
    const grown = [...before].filter(([id, run]) => runs.byId.get(id) !== run).map(([id]) => id);
    if (grown.length > 0) this.#changed(grown);
  }

  #lost(): void {
    this.#connection = "lost";
  }

  #changed(grown: readonly string[]): void {
    for (const run of grown) this.#pending.add(run);
    this.#isNews = true;
    this.#renew();
  }

  #renew(): void {
    if (this.isPaused || !this.#isNews) return;
    this.#isNews = false;
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

  #readLists(): void {
    const isAnother = this.#isAnother;
    this.#isAnother = false;
    void readLists(isAnother);
  }

  /** A run stops being live without an event, so reload the list. */
  #askStates(): void {
    if (!document.hidden && this.state === "live" && runs.all.some((run) => run.state === "live")) this.#renewLists();
  }
}

/** Milliseconds between two readings of the lists: new tags soon, and less often where a page has many runs to order. */
function listSpacing(count: number): number {
  return count <= 1000 ? 400 : 1000;
}

/**
 * Reads what is new to the list of runs, and the tags where shown runs hold others than before. Tags of runs that come
 * to be shown are read by who shows them.
 */
async function readLists(isAnother: boolean): Promise<void> {
  const before = runs.byId;
  await runs.load();
  colors.assign(runs.all.map(({ id }) => id));
  selection.notice();
  const isSame = !isAnother && selection.shown.every((id) => !before.has(id) || holdsTheSame(before.get(id), runs.byId.get(id)));
  for (const list of listsOfTags()) if (!isSame || list.problem) list.reload();
}

export const live = new Live();
