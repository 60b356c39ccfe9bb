// SPDX-License-Identifier: Apache-2.0

/** A head above neighboring columns that belong together. */
export interface ColumnBand {
  key: string;
  title: string;
  /** The mark of its color; null without one. */
  mark: string | null;
}

/** A column of a table, without its cells: those are the table's, which knows the rows. */
export interface TableColumn {
  /** Unique; the address and the choice of columns name it so. */
  id: string;
  title: string;
  /** The title with what its band says; the title where it is absent. */
  label?: string;
  /** What it means, for those who point at its head. */
  hint?: string;
  band: ColumnBand | null;
  /** Numbers are right-aligned. */
  isNumber: boolean;
  /** Rows have different values; equal ones are drawn softly. */
  differs: boolean;
  /** Rows are compared by it. */
  isTarget?: boolean;
  /** Its cells are more than their text. */
  isDrawn?: boolean;
  /** Width in CSS pixels; that of its texts where it is absent. */
  width?: number;
  /** Takes room that is left over. */
  isElastic?: boolean;
  /** A press on the head first shows the largest or newest. */
  descendsFirst?: boolean;
}

/** Neighboring columns under one head. */
export interface BandSpan extends ColumnBand {
  /** Place of the first of the columns. */
  start: number;
  size: number;
}

/** The heads above columns, from left to right; columns without one have none. */
export function bandSpans(columns: readonly Pick<TableColumn, "band">[]): BandSpan[] {
  const spans: BandSpan[] = [];
  columns.forEach(({ band }, place) => {
    const last = spans.at(-1);
    if (!band) return;
    if (last?.key === band.key && last.start + last.size === place) last.size++;
    else spans.push({ ...band, start: place, size: 1 });
  });
  return spans;
}

/** Whether columns are of different bands. */
export function hasBands(columns: readonly Pick<TableColumn, "band">[]): boolean {
  return new Set(columns.map(({ band }) => band?.key)).size > 1;
}
