// SPDX-License-Identifier: Apache-2.0

interface NamedColumn {
  title: string;
  isNumber: boolean;
}

/** A table of Markdown, a line each. */
export function tableLines(columns: readonly NamedColumn[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string => `| ${columns.map((_, at) => escaped(cells[at] ?? "")).join(" | ")} |`;
  return [
    line(columns.map(({ title }) => title)),
    `| ${columns.map(({ isNumber }) => (isNumber ? "---:" : "---")).join(" | ")} |`,
    ...rows.map(line),
  ];
}

/** A name or a number, which may look like Markdown or HTML. */
export function escaped(text: string): string {
  return text.replace(/[\\`*_[\]<>|#]/g, (sign) => `\\${sign}`).replace(/\s*\n\s*/g, " ");
}
