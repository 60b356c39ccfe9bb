// SPDX-License-Identifier: Apache-2.0
import { shareColumns, type Series } from "../../core/series/series";
import { abandon, areFresh, expireRows, knownRows, order, type CurveListener } from "../data/curveScheduler";
import { settingsOf, type Want } from "../data/curveQuery";
import { lineKey } from "./curveStyles";
import type { Problem } from "../requests/problem";

const demands = new Set<CurveDemand>();

/** What one chart on the screen wants to draw; released when it leaves the screen. */
export class CurveDemand implements CurveListener {
  series = $state.raw<readonly Series[]>([]);
  problem = $state.raw<Problem | null>(null);
  isLoading = $state(false);
  /** Lines of which no rows are here, or only rows for another view. */
  missing = $state(0);
  #want: Want | null = null;
  /** Key of the rows by line. */
  #keys = new Map<string, string>();
  #latest = new Map<string, Series>();

  /** Shows cached rows at once and requests the rest together with the other charts. */
  want(want: Want): void {
    demands.add(this);
    if (this.#want?.axis !== want.axis) this.#latest.clear();
    this.#want = want;
    const before = this.#keys;
    const settled = settingsOf(want);
    const asked = want.lines.map((line) => {
      const [name, { settings, text }] = [lineKey(line), settled(line)];
      return { name, key: `${name} ${text}`, run: line.run, tag: line.tag, settings, text };
    });
    this.#keys = new Map(asked.map(({ name, key }) => [name, key]));
    const wanted = new Set(this.#keys.values());
    for (const key of before.values()) if (!wanted.has(key)) abandon(key, this);
    for (const line of asked) if (!areFresh(line.key)) order(line, this);
    this.#refresh();
  }

  /** How many lines are wanted. */
  get size(): number {
    return this.#keys.size;
  }

  release(): void {
    demands.delete(this);
    for (const key of this.#keys.values()) abandon(key, this);
    this.#keys.clear();
    this.#want = null;
  }

  take(problem: Problem | null): void {
    this.problem = problem;
    this.#refresh();
  }

  retry(): void {
    this.problem = null;
    if (this.#want) this.want(this.#want);
  }

  renew(changed: ReadonlySet<string>): void {
    if (this.#want && this.#want.lines.some(({ run }) => changed.has(run))) this.retry();
  }

  /** Takes over what has arrived; a curve whose new rows are still under way keeps its old ones. */
  #refresh(): void {
    const series: Series[] = [];
    let isLoading = false;
    let missing = 0;
    for (const [line, key] of this.#keys) {
      const known = knownRows(key);
      if (!known) missing++;
      const latest = this.#latest.get(line);
      const rows = known ?? latest;
      if (known && latest && known !== latest) shareColumns(known, latest);
      if (!areFresh(key)) isLoading = true;
      if (rows) {
        series.push(rows);
        this.#latest.set(line, rows);
      }
    }
    const isSame = series.length === this.series.length && series.every((one, index) => one === this.series[index]);
    if (!isSame) this.series = series;
    this.isLoading = isLoading;
    this.missing = missing;
  }
}

/** The runs grew: requests their visible rows again. Null means all runs. */
export function renewCurves(changed: ReadonlySet<string> | null): void {
  expireRows(changed);
  for (const demand of demands) {
    if (changed) demand.renew(changed);
    else demand.retry();
  }
}
