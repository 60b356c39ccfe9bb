// SPDX-License-Identifier: Apache-2.0
import { fields, filter, flag, integer, list, natural, oneOf, optional, param, text, type Codec, type ValueOf } from "./schema";

export const LOG_LEVELS = ["unknown", "debug", "info", "warning", "error", "critical"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const SECONDS: Codec<number> = {
  read: (number) => (/^\d{1,10}(\.\d{1,9})?$/.test(number) ? Number(number) : null),
  write: String,
};

const LINE: Codec<readonly [number, number]> = {
  read: (dotted) => {
    const line = /^(?<file>\d{1,4})\.(?<row>\d{1,15})$/.exec(dotted)?.groups;
    return line ? [Number(line.file), Number(line.row)] : null;
  },
  write: (line) => line.join("."),
};

/** What the page Logs looks like. */
export const LOGS_VIEW = fields({
  /** Null for the first run that has logs. */
  run: optional("log", text),
  /** Names of files; none for all. */
  files: list("log_file", text),
  /** The least one that is shown. */
  level: param("log_level", oneOf(LOG_LEVELS), "unknown"),
  modules: list("log_module", text),
  ranks: list("log_rank", natural),
  filter: filter("log_filter", "log_regex"),
  /** Seconds since 1970. */
  from: optional("log_from", SECONDS),
  to: optional("log_to", SECONDS),
  /** Where the list begins: at a step or a time; null for both follows the newest message. */
  step: optional("log_step", integer),
  time: optional("log_time", SECONDS),
  /** The message that is open: number of its file, and in it. */
  chosen: optional("log_line", LINE),
  /** A card of a report is the open message alone. */
  isMessageCard: flag("log_card", "message"),
});
export type LogsView = ValueOf<typeof LOGS_VIEW>;
