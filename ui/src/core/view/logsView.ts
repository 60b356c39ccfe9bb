// SPDX-License-Identifier: Apache-2.0
import type { Filter } from "../text/textFilter";
import { unique, wholeNumber } from "./queryValues";

export const LOG_LEVELS = ["unknown", "debug", "info", "warning", "error", "critical"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** What the page Logs looks like; all of it is in the address. */
export interface LogsView {
  /** Null for the first run that has logs. */
  run: string | null;
  /** Names of files; none for all. */
  files: readonly string[];
  /** The least one that is shown. */
  level: LogLevel;
  modules: readonly string[];
  ranks: readonly number[];
  filter: Filter;
  /** Seconds since 1970. */
  from: number | null;
  to: number | null;
  /** Where the list begins: at a step or a time; null for both follows the newest message. */
  step: number | null;
  time: number | null;
  /** The message that is open: number of its file, and in it. */
  chosen: readonly [number, number] | null;
}

export function defaultLogsView(): LogsView {
  return {
    ...{ run: null, files: [], level: "unknown", modules: [], ranks: [], filter: { text: "", isRegex: false } },
    ...{ from: null, to: null, step: null, time: null, chosen: null },
  };
}

export function describeLogs(view: LogsView, query: URLSearchParams): void {
  if (view.run !== null) query.append("log", view.run);
  for (const file of view.files) query.append("log_file", file);
  if (view.level !== "unknown") query.append("log_level", view.level);
  for (const module of view.modules) query.append("log_module", module);
  for (const rank of view.ranks) query.append("log_rank", String(rank));
  if (view.filter.text !== "") query.append(view.filter.isRegex ? "log_regex" : "log_filter", view.filter.text);
  for (const name of ["from", "to", "step", "time"] as const) {
    if (view[name] !== null) query.append(`log_${name}`, String(view[name]));
  }
  if (view.chosen) query.append("log_line", view.chosen.join("."));
}

/** Never fails: what a link says wrongly is as if it said nothing. */
export function logsViewOf(query: URLSearchParams): LogsView {
  const regex = query.get("log_regex");
  const line = /^(?<file>\d{1,4})\.(?<row>\d{1,15})$/.exec(query.get("log_line") ?? "")?.groups;
  return {
    run: query.get("log"),
    files: unique(query.getAll("log_file")),
    level: LOG_LEVELS.find((level) => level === query.get("log_level")) ?? "unknown",
    modules: unique(query.getAll("log_module")),
    ranks: [...new Set(query.getAll("log_rank").map(wholeNumber))].filter((rank) => rank !== null && rank >= 0) as number[],
    filter: regex === null ? { text: query.get("log_filter") ?? "", isRegex: false } : { text: regex, isRegex: true },
    from: secondsOf(query.get("log_from")),
    to: secondsOf(query.get("log_to")),
    step: wholeNumber(query.get("log_step")),
    time: secondsOf(query.get("log_time")),
    chosen: line ? [Number(line.file), Number(line.row)] : null,
  };
}

function secondsOf(text: string | null): number | null {
  return text !== null && /^\d{1,10}(\.\d{1,9})?$/.test(text) ? Number(text) : null;
}
