// SPDX-License-Identifier: Apache-2.0
const NAMES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Text for an element or an attribute in double quotes, without control characters, which XML forbids. */
export function escapeXml(text: string): string {
  const printable = [...text].filter((letter) => letter >= " " || letter === "\t").join("");
  return printable.replace(/[&<>"]/g, (letter) => NAMES[letter]!);
}
