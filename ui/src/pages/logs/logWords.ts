// SPDX-License-Identifier: Apache-2.0
import { logTexts } from "../../i18n/en/logs";
import { addEnglish } from "../../i18n/i18n.svelte";

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
  const date = new Date(seconds * 1000);
  const pad = (value: number, digits = 2): string => String(value).padStart(digits, "0");
  const clock = `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}.${pad(date.getMilliseconds(), 3)}`;
  return hasDay ? `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())} ${clock}` : clock;
}

/** What comes after the head of MindSpore's lines, which has level, module and time once more. */
export function withoutHead(text: string): string {
  return text.replace(/^\[[A-Z]+\] \w+\([^)]*\):[\d.:-]+ /, "");
}
