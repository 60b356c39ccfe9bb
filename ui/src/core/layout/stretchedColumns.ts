// SPDX-License-Identifier: Apache-2.0
interface NameRoom {
  /** The names give up room before the others have to be scrolled. */
  least: number;
  most: number;
}

/** Width of the names, and widths of the other columns: elastic ones share the room that is left over. */
export function stretchedColumns(
  columns: readonly { width: number; isElastic: boolean }[],
  room: number,
  name: NameRoom,
): { name: number; widths: number[] } {
  const widths = columns.map(({ width }) => width);
  const rest = room - widths.reduce((sum, width) => sum + width, 0);
  const names = Math.round(Math.max(Math.min(name.least, name.most), Math.min(name.most, rest)));
  const elastic = columns.filter(({ isElastic }) => isElastic).length;
  const share = elastic > 0 ? Math.max(0, Math.floor((rest - names) / elastic)) : 0;
  return { name: names, widths: columns.map(({ width, isElastic }) => (isElastic ? width + share : width)) };
}
