// SPDX-License-Identifier: Apache-2.0
/** A path without its middle when it has more letters than asked for: where it begins and what it names stay. */
export function shortPath(path: string, most: number): string {
  const letters = [...path];
  if (letters.length <= most) return path;
  const end = Math.ceil((most - 1) * 0.7);
  return `${letters.slice(0, most - 1 - end).join("")}…${letters.slice(-end).join("")}`;
}
