// SPDX-License-Identifier: Apache-2.0
import { isAbort } from "../api/client";
import { fetchDerived } from "../api/derived";
import { fetchCurves } from "../api/routes";
import type { Axis, Range } from "../core/axis";
import { isFormula } from "../core/chartPlan";
import { partExpression, tagExpression } from "../core/formula";
import { completed, type Series } from "../core/series";
import { isWeightOnly, type Smoothing } from "../core/smoothing";
import { problemOf, type Problem } from "./problem";
import { runs } from "./runs.svelte";
import { SeriesCache } from "./seriesCache";

/** A line that a chart wants; `offset` is how far it is moved along the axis. */
export interface WantedLine {
  run: string;
  tag: string;
  offset: number;
}

export interface Want {
  lines: readonly WantedLine[];
  axis: Axis;
  /** Where the chart looks, with the lines moved. */
  range: Range | null;
  pixels: number;
  isLogX: boolean;
  smoothing: Smoothing;
  /** Tag whose values stand on the horizontal axis; null for the axis itself. */
  xTag: string | null;
  /** Run that all others are compared with: differences are drawn. */
  baseline: string | null;
}

/** What all lines of one request have in common. */
interface Settings extends Omit<Want, "lines" | "isLogX"> {
  /** Where the logarithm of x begins, for lines that are moved along the axis; null where the axis is linear. */
  logOrigin: number | null;
  /** Asked for as expressions: a formula, another x, a baseline, or smoothing that plain curves have not. */
  isDerived: boolean;
}

/** One series that some cards wait for. */
interface Order {
  key: string;
  run: string;
  tag: string;
  settings: Settings;
  waiting: Set<CurveDemand>;
  request: AbortController | null;
  /** The rows that the request under way says are known. */
  known: Series | undefined;
  /** The run grew while the request was under way. */
  isStale: boolean;
}

const CHUNK = 40;
const PARALLEL = 4;
const PIXEL_BUCKET = 128;
const BYTES_PER_ROW = 24;

const cache = new SeriesCache<Series>();
const orders = new Map<string, Order>();
const demands = new Set<CurveDemand>();
let requests = 0;
let flushTimer: ReturnType<typeof setTimeout> | undefined;

/** What one chart on the screen wants to draw; released when it leaves the screen. */
export class CurveDemand {
  series = $state.raw<readonly Series[]>([]);
  problem = $state.raw<Problem | null>(null);
  isLoading = $state(false);
  #want: Want | null = null;
  /** Key of the rows by line. */
  #keys = new Map<string, string>();
  #latest = new Map<string, Series>();

  /** Shows what is known at once and asks for the rest together with the other charts. */
  want(want: Want): void {
    demands.add(this);
    if (this.#want?.axis !== want.axis) this.#latest.clear();
    this.#want = want;
    const before = this.#keys;
    const asked = want.lines.map((line) => ({ line, settings: settingsOf(want, line) }));
    this.#keys = new Map(asked.map(({ line, settings }) => [lineKey(line), keyOf(line, settings)]));
    const wanted = new Set(this.#keys.values());
    for (const key of before.values()) if (!wanted.has(key)) abandon(key, this);
    for (const { line, settings } of asked) {
      const key = keyOf(line, settings);
      if (!cache.isFresh(key)) order(key, line, settings, this);
    }
    this.refresh();
  }

  release(): void {
    demands.delete(this);
    for (const key of this.#keys.values()) abandon(key, this);
    this.#keys.clear();
    this.#want = null;
  }

  /** Takes over what has arrived; a curve whose new rows are still under way keeps its old ones. */
  refresh(): void {
    const series: Series[] = [];
    let isLoading = false;
    for (const [line, key] of this.#keys) {
      const rows = cache.get(key) ?? this.#latest.get(line);
      if (!cache.isFresh(key)) isLoading = true;
      if (rows) {
        series.push(rows);
        this.#latest.set(line, rows);
      }
    }
    this.series = series;
    this.isLoading = isLoading;
  }

  retry(): void {
    this.problem = null;
    if (this.#want) this.want(this.#want);
  }

  renew(changed: ReadonlySet<string>): void {
    if (this.#want && this.#want.lines.some(({ run }) => changed.has(run))) this.retry();
  }
}

/** The runs grew: their rows are asked for again where they are on the screen. Null means all runs. */
export function renewCurves(changed: ReadonlySet<string> | null): void {
  cache.expire(changed);
  for (const item of orders.values()) if (!changed || changed.has(item.run)) item.isStale = true;
  for (const demand of demands) {
    if (changed) demand.renew(changed);
    else demand.retry();
  }
}

/** Lines that no chart shows, read at once. Raises what the requests raise. */
export async function readLines(want: Want): Promise<Series[]> {
  const orders = want.lines.map((line): Order => {
    const settings = settingsOf(want, line);
    return { key: keyOf(line, settings), ...line, settings, waiting: new Set(), request: null, known: undefined, isStale: false };
  });
  const read: Series[] = [];
  while (orders.length > 0) {
    const { settings } = orders[0]!;
    const other = orders.findIndex((one) => !isSame(one.settings, settings));
    const chunk = orders.splice(0, other < 0 ? CHUNK : Math.min(CHUNK, other));
    const answers = await ask(chunk, settings, new AbortController().signal);
    read.push(...answers.map((answer, index) => named(answer, chunk[index]!)));
  }
  return read;
}

function settingsOf(want: Want, { tag, offset }: WantedLine): Settings {
  const { axis, smoothing, xTag, baseline } = want;
  const pixels = Math.min(8192, Math.max(PIXEL_BUCKET, Math.ceil(want.pixels / PIXEL_BUCKET) * PIXEL_BUCKET));
  const range = want.range && ([want.range[0] - offset, want.range[1] - offset] as const);
  const isDerived = isFormula(tag) || xTag !== null || baseline !== null || !isWeightOnly(smoothing);
  const logOrigin = want.isLogX ? 0 - offset : null;
  return { axis, range, pixels, logOrigin, smoothing, xTag, baseline, isDerived };
}

function lineKey({ run, tag }: WantedLine): string {
  return JSON.stringify([run, tag]);
}

function keyOf({ run, tag }: WantedLine, settings: Settings): string {
  return JSON.stringify([run, tag, settings]);
}

function order(key: string, { run, tag }: WantedLine, settings: Settings, demand: CurveDemand): void {
  const known = orders.get(key);
  if (known) known.waiting.add(demand);
  else orders.set(key, { key, run, tag, settings, waiting: new Set([demand]), request: null, known: undefined, isStale: false });
  flushTimer ??= setTimeout(flush, 8);
}

function abandon(key: string, demand: CurveDemand): void {
  const item = orders.get(key);
  if (!item) return;
  item.waiting.delete(demand);
  if (item.waiting.size > 0) return;
  orders.delete(key);
  const { request } = item;
  if (request && ![...orders.values()].some((other) => other.request === request)) request.abort();
}

function flush(): void {
  flushTimer = undefined;
  while (requests < PARALLEL) {
    const chunk = nextChunk();
    if (chunk.length === 0) return;
    void send(chunk);
  }
}

/** Orders with the same settings, oldest first: a request holds one range and one width. */
function nextChunk(): Order[] {
  const chunk: Order[] = [];
  for (const item of orders.values()) {
    if (item.request) continue;
    if (chunk[0] && !isSame(chunk[0].settings, item.settings)) continue;
    if (chunk.push(item) === CHUNK) break;
  }
  return chunk;
}

function isSame(one: Settings, other: Settings): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

async function send(chunk: readonly Order[]): Promise<void> {
  const request = new AbortController();
  for (const item of chunk) {
    item.request = request;
    item.known = cache.get(item.key);
    item.isStale = false;
  }
  requests++;
  try {
    const answers = await ask(chunk, chunk[0]!.settings, request.signal);
    chunk.forEach((item, index) => deliver(item, answers[index]!));
    notify(chunk, null);
  } catch (error) {
    for (const item of chunk) orders.delete(item.key);
    if (!isAbort(error)) notify(chunk, problemOf(error));
  } finally {
    requests--;
    if (orders.size > 0) flushTimer ??= setTimeout(flush, 0);
  }
}

function ask(chunk: readonly Order[], settings: Settings, signal: AbortSignal): Promise<Series[]> {
  const { axis, range, pixels, smoothing, xTag, baseline } = settings;
  const log_origin = settings.logOrigin;
  if (!settings.isDerived) {
    const series = chunk.map(({ run, tag, known }) => ({ run, tag, since: known?.cursor ?? null }));
    return fetchCurves({ series, axis, range, pixels, log_origin, smoothing: smoothing.weight }, signal);
  }
  const lines = chunk.map(({ run, tag, known }) => ({ run, y: partExpression(tag), since: known?.cursor ?? null }));
  const x = xTag === null ? null : tagExpression(xTag);
  return fetchDerived({ lines, axis, x, range, pixels, log_origin, smoothing, baseline }, signal);
}

/** An answer in the words of the order: lines of expressions are known by what they were asked as. */
function named(answer: Series, { run, tag }: Order): Series {
  const startWallTime = Number.isNaN(answer.startWallTime) ? (runs.byId.get(run)?.first_wall_time ?? NaN) : answer.startWallTime;
  return { ...answer, tag, startWallTime };
}

function deliver(item: Order, answer: Series): void {
  const series = named(completed(answer, item.known), item);
  item.known = undefined;
  cache.put(item.key, item.run, series, series.returned * BYTES_PER_ROW, !item.isStale);
  if (item.isStale) item.request = null;
  else if (orders.get(item.key) === item) orders.delete(item.key);
}

function notify(chunk: readonly Order[], problem: Problem | null): void {
  const waiting = new Set(chunk.flatMap((item) => [...item.waiting]));
  for (const demand of waiting) {
    demand.problem = problem;
    demand.refresh();
  }
}
