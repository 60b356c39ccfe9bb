// SPDX-License-Identifier: Apache-2.0
/** A path shortened in its middle to a number of letters: keeps its beginning and its last name. */
export function shortPath(path: string, most: number): string {
  const letters = [...path];
  if (letters.length <= most) return path;
  const end = Math.ceil((most - 1) * 0.7);
  return `${letters.slice(0, most - 1 - end).join("")}…${letters.slice(-end).join("")}`;
}
