// SPDX-License-Identifier: Apache-2.0
import { get, type Json } from "../../api/routes";
import type { StepRange } from "../../core/series/stepMarks";
import { freshId, annotations, type Mute } from "../annotations/annotations.svelte";
import { throttle } from "../requests/throttle";
import { problemOf, type Problem } from "../requests/problem";
import { runs } from "../data/runs.svelte";

export type Alert = NonNullable<Json<"/api/alerts", "get">["alerts"]>[number];

/** An alert of a watchpoint. */
export type HitAlert = Alert & { hits: NonNullable<Alert["hits"]> };

/** Consecutive recorded steps in which a watchpoint hit. */
export interface HitRange extends StepRange {
  alert: HitAlert;
}

export interface AlertLine {
  alert: Alert;
  times: number;
}

const SPACING_MS = 500;

/** What the server's checks and people's thresholds found, the newest first. */
class Alerts {
  all = $state.raw<readonly Alert[]>([]);
  problem = $state.raw<Problem | null>(null);
  #version = $state.raw<number | null>(null);
  /** False until the first answer. */
  isLoaded = $derived(this.#version !== null);

  /** Not muted, and of runs that are not archived. */
  open = $derived(gathered(this.all.filter((alert) => !alert.muted && !annotations.notesOf(alert.run)?.archived)));
  /** Steps with hits of watchpoints that are not muted. */
  hitRanges = $derived<readonly HitRange[]>(this.all.flatMap((alert) => (isHit(alert) && !alert.muted ? rangesOf(alert) : [])));
  /** Errors of failed trainings that are not muted, by run. */
  #errors = $derived(new Map(this.all.flatMap(({ rule, run, muted, message }) => (rule === "failed" && !muted ? [[run, message]] : []))));
  muted = $derived(gathered(this.all.filter((alert) => alert.muted)));

  /** Reads what is new, at most twice a second. */
  load = throttle(
    () => void this.#load(),
    () => SPACING_MS,
  );

  /** Forgets what is known: the server may be another one. */
  reload(): void {
    this.#version = null;
    this.load();
  }

  /** The error that a training failed with; null for one that did not fail. */
  errorOf(run: string): string | null {
    return this.#errors.get(run) ?? null;
  }

  mute(mute: Partial<Mute>): void {
    void annotations.put("mutes", freshId(), { alert: null, rule: null, run: null, tag: null, until: null, ...mute });
  }

  /** Takes away every mute that hides this alert. */
  unmute(alert: Alert): void {
    for (const [id, mute] of annotations.mutes) {
      const pairs = [
        [mute.alert, alert.id],
        [mute.rule, alert.rule],
        [mute.run, alert.run],
        [mute.tag, alert.tag],
      ] as const;
      if (pairs.every(([want, got]) => want === null || want === got)) void annotations.put("mutes", id, null);
    }
  }

  async #load(): Promise<void> {
    try {
      const answer = await get("/api/alerts", { since: this.#version });
      this.#version = answer.version;
      if (answer.alerts) this.all = answer.alerts.filter(({ run }) => !runs.isLoaded || runs.byId.has(run));
      this.problem = null;
    } catch (error) {
      this.problem = problemOf(error);
    }
  }
}

export function isHit(alert: Alert): alert is HitAlert {
  return alert.hits !== null;
}

function rangesOf(alert: HitAlert): HitRange[] {
  return alert.hits.ranges.map(([first, last]) => ({ run: alert.run, first, last, alert }));
}

/** Alerts of the same rule, run and tag as one line: the newest, and how many there are. */
function gathered(alerts: readonly Alert[]): AlertLine[] {
  const lines = new Map<string, { alert: Alert; times: number }>();
  for (const alert of alerts) {
    const key = JSON.stringify([alert.rule, alert.run, alert.tag]);
    const line = lines.get(key);
    if (line) line.times++;
    else lines.set(key, { alert, times: 1 });
  }
  return [...lines.values()];
}

export const alerts = new Alerts();
