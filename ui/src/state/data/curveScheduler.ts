// SPDX-License-Identifier: Apache-2.0
import { isAbort } from "../../api/client";
import type { Series } from "../../core/series/series";
import { CHUNK, readChunk, type CurveSettings } from "./curveQuery";
import { problemOf, type Problem } from "../requests/problem";
import { LruCache } from "../requests/lruCache";

/** A consumer that waits for curves. */
export interface CurveListener {
  /** Rows have come, or the problem why they have not. */
  take: (problem: Problem | null) => void;
}

/** What names the rows of a line under some settings. */
export interface CurveKey {
  key: string;
  run: string;
  tag: string;
  settings: CurveSettings;
  /** Equal for equal settings. */
  text: string;
}

/** One series that some charts wait for. */
interface Order extends CurveKey {
  waiting: Set<CurveListener>;
  request: AbortController | null;
  /** The rows that the request under way says are known. */
  known: Series | undefined;
  /** The run grew while the request was under way. */
  isStale: boolean;
}

const PARALLEL = 4;
const BYTES_PER_ROW = 24;
/** Charts that come into sight together ask together. */
const GATHER_MS = 24;

const cache = new LruCache<Series>();
const orders = new Map<string, Order>();
let requests = 0;
let flushTimer: ReturnType<typeof setTimeout> | undefined;

export function knownRows(key: string): Series | undefined {
  return cache.get(key);
}

export function areFresh(key: string): boolean {
  return cache.isFresh(key);
}

/** Requests rows in a batch with other current requests; notifies the listener when they arrive. */
export function order(what: CurveKey, waiter: CurveListener): void {
  const known = orders.get(what.key);
  if (known) known.waiting.add(waiter);
  else orders.set(what.key, { ...what, waiting: new Set([waiter]), request: null, known: undefined, isStale: false });
  flushTimer ??= setTimeout(flush, GATHER_MS);
}

/** Removes a listener; aborts a request without listeners. */
export function abandon(key: string, waiter: CurveListener): void {
  const item = orders.get(key);
  if (!item) return;
  item.waiting.delete(waiter);
  if (item.waiting.size > 0) return;
  orders.delete(key);
  const { request } = item;
  if (request && ![...orders.values()].some((other) => other.request === request)) request.abort();
}

/** The runs grew: what is known of them is old. Null means all runs. */
export function expireRows(changed: ReadonlySet<string> | null): void {
  cache.expire(changed);
  for (const item of orders.values()) if (!changed || changed.has(item.run)) item.isStale = true;
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
    if (item.request || (chunk[0] && chunk[0].text !== item.text)) continue;
    if (chunk.push(item) === CHUNK) break;
  }
  return chunk;
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
    const answers = await readChunk(chunk, chunk[0]!.settings, request.signal);
    chunk.forEach((item, index) => deliver(item, answers[index]!));
    notify(chunk, null);
  } catch (error) {
    for (const item of chunk) drop(item);
    if (!isAbort(error)) notify(chunk, problemOf(error));
  } finally {
    requests--;
    if (orders.size > 0) flushTimer ??= setTimeout(flush, 0);
  }
}

function deliver(item: Order, series: Series): void {
  item.known = undefined;
  cache.put(item.key, [item.run], series, series.returned * BYTES_PER_ROW, !item.isStale);
  if (item.isStale) item.request = null;
  else drop(item);
}

/** The same rows may have a newer request. */
function drop(item: Order): void {
  if (orders.get(item.key) === item) orders.delete(item.key);
}

function notify(chunk: readonly Order[], problem: Problem | null): void {
  for (const waiter of new Set(chunk.flatMap((item) => [...item.waiting]))) waiter.take(problem);
}
