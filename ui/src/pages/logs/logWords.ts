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

/** A message without the head that its time, level, rank and module were read from. */
export function messageText({ text, head }: Pick<LogLine, "text" | "head">): string {
  return [...text].slice(head).join(""); // the head counts characters, not halves of them
}
