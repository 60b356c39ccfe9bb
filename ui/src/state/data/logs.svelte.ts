// SPDX-License-Identifier: Apache-2.0
import { isAbort, request } from "../../api/client";
import { blob, post, type Json } from "../../api/routes";
import type { Schemas } from "../../core/messages/message";
import { problemOf, type Problem } from "../requests/problem";
import type { ResourceDefinition } from "../requests/resourceCache";

export type RunLogs = Schemas["RunLogs"];
export type LogLine = Schemas["LogLine"];
type LogLines = Json<"/api/logs/lines", "post">;
type LogLinesQuery = Schemas["LogLinesQuery"];
export type LogHistogram = Json<"/api/logs/histogram", "post">;
type LogHistogramQuery = Schemas["LogHistogramQuery"];
/** Which messages of which log. */
export type LogConditions = Omit<LogHistogramQuery, "columns">;
export type LogTensor = Schemas["LogTensor"];

export function fetchLogFile(query: Schemas["LogFileQuery"]): Promise<Blob> {
  return blob(request("/api/logs/file", { body: query }));
}

export const logFiles: ResourceDefinition<{ runs: readonly string[] }, Json<"/api/logs/files", "post">> = {
  kind: "log_files",
  read: ({ runs }, signal) => post("/api/logs/files", { runs }, signal),
  runs: ({ runs }) => runs,
};

export const logHistogram: ResourceDefinition<LogHistogramQuery, LogHistogram> = {
  kind: "log_histogram",
  read: (query, signal) => post("/api/logs/histogram", query, signal),
  runs: ({ run }) => [run],
  keepsValue: (previous, next) => previous.run === next.run,
};

export const logMessage: ResourceDefinition<Schemas["LogMessageQuery"], Json<"/api/logs/message", "post">> = {
  kind: "log_message",
  read: (query, signal) => post("/api/logs/message", query, signal),
  runs: () => [],
};

/** Where the list goes. */
export type LogAnchor = Partial<Pick<LogLinesQuery, "at_step" | "at_time" | "is_last" | "error_after" | "error_before" | "at_crash">>;

/** A message and its place among those that match. */
export interface PlacedLine {
  place: number;
  line: LogLine;
}

const PAGE = 100;
const MOST_PAGES = 60;
const SEARCH_MS = 60;
const FOLLOW_MS = 1500;
const PROBLEM_MS = 4000;

/** The messages that fulfil conditions: pages are read when they are needed, and a log is followed while it grows. */
export class LogPages {
  /** What the last answer says of all messages; its lines are of any place. */
  facts = $state.raw<LogLines | null>(null);
  problem = $state.raw<Problem | null>(null);
  #pages = $state.raw<ReadonlyMap<number, readonly LogLine[]>>(new Map());
  #requested = new Set<number>();
  #conditions: LogConditions | null = null;
  #key = "";
  #abort = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  get matching(): number {
    return this.facts?.matching ?? 0;
  }

  line(place: number): LogLine | undefined {
    return this.#pages.get(Math.floor(place / PAGE))?.[place % PAGE];
  }

  /** Begins with other conditions; null stops. */
  show(conditions: LogConditions | null): void {
    const key = JSON.stringify(conditions);
    if (key === this.#key) return;
    this.#key = key;
    this.#conditions = conditions;
    this.#abort.abort();
    this.#abort = new AbortController();
    clearTimeout(this.#timer);
    this.#forget();
    this.facts = null;
    this.problem = null;
    if (conditions) void this.#follow(this.#abort.signal);
  }

  /** Reads the pages of places that are not there. */
  need(first: number, end: number): void {
    for (let page = Math.floor(first / PAGE); page * PAGE < Math.min(end, this.matching); page++) {
      if (!this.#pages.has(page) && !this.#requested.has(page)) void this.#read(page, this.#abort.signal);
    }
  }

  /** The message of a step or time, at the end, the next error, or that the training ended with; null without one, and after other conditions were shown. */
  async locate(anchor: LogAnchor): Promise<PlacedLine | null> {
    const { signal } = this.#abort;
    for (;;) {
      const answer = await this.#ask({ count: 1, ...anchor }, signal);
      if (!answer) return null;
      const line = answer.lines[0];
      if (answer.is_complete) return answer.at === null || !line ? null : { place: answer.at, line };
      await new Promise((resolve) => setTimeout(resolve, SEARCH_MS));
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const answer = document.hidden && this.facts ? this.facts : await this.#ask({ count: 0 }, signal);
    if (signal.aborted) return;
    const wait = !answer ? PROBLEM_MS : answer.is_complete ? FOLLOW_MS : SEARCH_MS;
    this.#timer = setTimeout(() => void this.#follow(signal), wait);
  }

  async #read(page: number, signal: AbortSignal): Promise<void> {
    this.#requested.add(page);
    const answer = await this.#ask({ first: page * PAGE, count: PAGE }, signal);
    if (signal.aborted) return;
    this.#requested.delete(page);
    if (!answer || answer.generation !== this.facts?.generation) return;
    const pages = [...this.#pages, [page, answer.lines] as const];
    this.#pages = new Map(pages.slice(-MOST_PAGES));
  }

  async #ask(part: Partial<LogLinesQuery> & { count: number }, signal: AbortSignal): Promise<LogLines | null> {
    try {
      const answer = await post("/api/logs/lines", { first: 0, is_last: false, at_crash: false, ...this.#conditions!, ...part }, signal);
      if (signal.aborted) return null;
      this.#take(answer);
      return answer;
    } catch (error) {
      if (!isAbort(error) && !signal.aborted) this.problem = problemOf(error);
      return null;
    }
  }

  #take(answer: LogLines): void {
    const before = this.facts;
    this.problem = null;
    this.facts = answer;
    if (before?.generation !== answer.generation || answer.matching < before.matching) this.#forget();
    else if (before.matching < answer.matching) this.#forgetLast(before.matching);
  }

  #forget(): void {
    this.#pages = new Map();
    this.#requested = new Set();
  }

  /** The page that was the last one has more lines now. */
  #forgetLast(matching: number): void {
    const last = Math.floor(matching / PAGE);
    this.#requested.delete(last);
    if (this.#pages.has(last)) this.#pages = new Map([...this.#pages].filter(([page]) => page !== last));
  }
}
