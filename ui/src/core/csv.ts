// SPDX-License-Identifier: Apache-2.0
/** One cell: quoted only where it must be. Text that a spreadsheet would run as a formula is quoted with a tick. */
export function csvCell(cell: string | number | null): string {
  if (cell === null) return "";
  if (typeof cell === "number") return String(cell);
  const safe = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function csvTable(header: readonly string[], rows: readonly (readonly (string | number | null)[])[]): string {
  return [header, ...rows].map((row) => `${row.map(csvCell).join(",")}\n`).join("");
}

/** Puts the name of the run before every row of a table of one run; the header only once. */
export function prefixRun(table: string, run: string, withHeader: boolean): string {
  const [header, ...rows] = table.replaceAll("\r\n", "\n").trimEnd().split("\n");
  const lines = rows.filter((row) => row !== "").map((row) => `${csvCell(run)},${row}\n`);
  return (withHeader ? `run,${header}\n` : "") + lines.join("");
}
