// SPDX-License-Identifier: Apache-2.0
import keywords from "../../../../src/mindscope/expressions/keywords.json";
import type { LineageColumn } from "./column";

/** The words of the language of expressions: none is the name of a column. */
const KEYWORDS: ReadonlySet<string> = new Set([...keywords.operators, ...keywords.states, ...Object.keys(keywords.run_constants)]);
const PLAIN = /^[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}\p{N}_]+)*$/u;
const ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** How an expression names a column: its id if that is a plain name, else in backticks, else by its group. */
export function columnReference({ id, group, name }: Pick<LineageColumn, "id" | "group" | "name">): string {
  if (PLAIN.test(id) && !KEYWORDS.has(id)) return id;
  return id !== "" && !/[`\n\r\t]/.test(id) ? `\`${id}\`` : `${group}[${quoted(name)}]`;
}

function quoted(text: string): string {
  return `"${text.replace(/["\\\n\r\t]/g, (sign) => ESCAPES[sign] ?? `\\${sign}`)}"`;
}

/** What is before, at and after a position that counts characters as the server does, not UTF-16 units. */
export function splitAt(text: string, position: number): [string, string, string] {
  const signs = [...text];
  return [signs.slice(0, position).join(""), signs[position] ?? "", signs.slice(position + 1).join("")];
}
