// SPDX-License-Identifier: Apache-2.0
import { logTexts } from "../../i18n/en/logs";
import { addEnglish } from "../../i18n/i18n.svelte";
import type { LogLine } from "../../state/data/logs.svelte";

addEnglish(logTexts);

/** Colors of levels, by the one that is drawn last. */
export const LEVEL_COLORS = {
  unknown: "var(--outline)",
  debug: "var(--outline)",
  info: "var(--slice-0)",
  warning: "var(--warn)",
  error: "var(--bad)",
  critical: "var(--bad)",
} as const;

const ESCAPES = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[ -/]*[@-~]`, "g");

/** A text as a terminal shows it: without colors, and of a line that was drawn over only the last state. */
export function terminalText(text: string): string {
  return text
    .replace(ESCAPES, "")
    .split("\n")
    .map((line) => line.replace(/\r+$/, "").replace(/^.*\r/, ""))
    .join("\n");
}

/** Local time with milliseconds, with the day or without. */
export function logTime(seconds: number | null, hasDay: boolean): string {
  if (seconds === null) return "";
  const date = new Date(Math.round(seconds * 1000)); // as on the axis
  const pad = (value: number, digits = 2): string => String(value).padStart(digits, "0");
  const clock = `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}.${pad(date.getMilliseconds(), 3)}`;
  return hasDay ? `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())} ${clock}` : clock;
}

/** What a row of the list says of a message: the line that the filter found, else the first; then where in the code it was written. */
export interface RowText {
  text: string;
  /** Which letters of it match the filter; null for none. */
  match: readonly [begin: number, end: number] | null;
  location: string;
  /** What the filter matched there; "" for nothing. */
  inLocation: string;
}

/** Loggers of MindSpore write file and line, and in C++ the function, before the message. */
const LOCATION = /^\[([^\]]*[^\]\d:][^\]]*:\d+)\] (?:([\w~:<>]+)\] )?/;
/** A match further from the beginning might be cut off. */
const IN_SIGHT = 60;

export function rowText(line: LogLine): RowText {
  const first = terminalText(messageText(line)).split("\n")[0]!;
  const [head = "", file = "", name = ""] = LOCATION.exec(first) ?? [];
  const text = first.slice(head.length);
  const location = [file, name].filter((part) => part !== "").join(" ");
  if (line.match === null) return { text, match: null, location, inLocation: "" };
  const found = terminalText(line.match.text.slice(line.match.begin, line.match.end));
  const at = line.match.line === 0 ? text.indexOf(found) : -1;
  if (at >= 0 && at < IN_SIGHT) return { text, match: [at, at + found.length], location, inLocation: "" };
  if (line.match.line === 0 && head.includes(found)) return { text, match: null, location, inLocation: found };
  const shown = `… ${terminalText(line.match.text).trimStart()}`;
  const begin = shown.indexOf(found);
  return { text: shown, match: begin < 0 ? null : [begin, begin + found.length], location, inLocation: "" };
}

/** A message without the head that its time, level, rank and module were read from. */
export function messageText({ text, head }: Pick<LogLine, "text" | "head">): string {
  return [...text].slice(head).join(""); // the head counts characters, not halves of them
}
