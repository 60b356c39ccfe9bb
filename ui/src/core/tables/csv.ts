// SPDX-License-Identifier: Apache-2.0
/** One cell: quoted only where it must be. Text that a spreadsheet would run as a formula is quoted with a tick. */
export function csvCell(cell: string | number | null): string {
  if (cell === null) return "";
  if (typeof cell === "number") return String(cell);
  const safe = /^[=+\-@\t\r\n＝＋－＠]/.test(cell) ? `'${cell}` : cell;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function csvTable(header: readonly string[], rows: readonly (readonly (string | number | null)[])[]): string {
  return [header, ...rows].map((row) => `${row.map(csvCell).join(",")}\n`).join("");
}

/** Puts the same columns before every row of a table; the header only once. */
export function prefixColumns(table: string, columns: Readonly<Record<string, string>>, withHeader: boolean): string {
  const [header, ...rows] = linesOf(table);
  const cells = Object.values(columns).map(csvCell).join(",");
  const lines = rows.map((row) => `${cells},${row}\n`);
  return (withHeader ? `${Object.keys(columns).map(csvCell).join(",")},${header}\n` : "") + lines.join("");
}

/** A table of numbers as columns by name; cells that are no finite number stay text. */
export function csvToColumns(table: string): Record<string, (number | string)[]> {
  const [header, ...rows] = linesOf(table);
  const cells = rows.map((row) => row.split(","));
  const numbers = (column: number): (number | string)[] => cells.map((row) => numberOf(row[column] ?? ""));
  return Object.fromEntries((header ?? "").split(",").map((name, column) => [name, numbers(column)]));
}

function numberOf(cell: string): number | string {
  const number = Number(cell);
  return cell !== "" && Number.isFinite(number) ? number : cell;
}

function linesOf(table: string): string[] {
  const lines = table.replaceAll("\r\n", "\n").trimEnd().split("\n");
  return lines.filter((line, index) => index === 0 || line !== "");
}
