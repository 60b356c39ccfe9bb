// SPDX-License-Identifier: Apache-2.0
import { between, sharedEnds } from "../text/sharedEnds";

/** A name that is wanted beside the end of a line; the first of a list matters most. */
export interface EndLabel {
  text: string;
  color: string;
  /** Height at which the line ends, in pixels. */
  end: number;
}

export interface PlacedLabel extends EndLabel {
  /** Height at which the name is written. */
  at: number;
}

/** As many labels as there is room for, moved apart and kept near the ends of their lines. */
export function placeLabels(labels: readonly EndLabel[], top: number, height: number, spacing: number): PlacedLabel[] {
  const most = Math.max(0, Math.floor(height / spacing));
  const placed = labels
    .slice(0, most)
    .sort((one, other) => one.end - other.end)
    .map((label) => ({ ...label, at: Math.min(top + height, Math.max(top, label.end)) }));
  for (let index = 1; index < placed.length; index++) placed[index]!.at = Math.max(placed[index]!.at, placed[index - 1]!.at + spacing);
  let limit = top + height;
  for (let index = placed.length - 1; index >= 0; index--) {
    placed[index]!.at = Math.min(placed[index]!.at, limit);
    limit = placed[index]!.at - spacing;
  }
  return placed;
}

/**
 * Names without what they share: first within each directory, and within all names where that makes two of them equal.
 * Different names stay different.
 */
export function distinctNames(names: readonly string[]): string[] {
  const all = withoutShared(names);
  const short = new Map<string, string>();
  for (const siblings of byDirectory(names)) {
    const own = siblings.length > 1 ? withoutShared(siblings) : siblings.map((name) => all[names.indexOf(name)]!);
    siblings.forEach((name, index) => short.set(name, own[index]!));
  }
  return new Set(short.values()).size === short.size ? names.map((name) => short.get(name)!) : all;
}

/** The different names of each directory. */
function byDirectory(names: readonly string[]): string[][] {
  const groups = new Map<string, string[]>();
  for (const name of new Set(names)) {
    const directory = name.slice(0, name.lastIndexOf("/") + 1);
    groups.set(directory, [...(groups.get(directory) ?? []), name]);
  }
  return [...groups.values()];
}

function withoutShared(names: readonly string[]): string[] {
  const [only = ""] = names;
  if (names.length === 1) return [only.slice(only.lastIndexOf("/") + 1)];
  const shared = sharedEnds(names);
  return names.map((name) => between(name, shared));
}

/** The fewest letters, from `least` on, to which different names can be cut so that they still differ. */
export function distinctLength(names: readonly string[], least: number): number {
  const different = [...new Set(names)];
  const longest = Math.max(least, ...different.map(({ length }) => length));
  for (let length = least; length < longest; length++) {
    if (new Set(different.map((name) => cutMiddle(name, length, (text) => text.length))).size === different.length) return length;
  }
  return longest;
}

/** A text for a width: its middle gives way, since names differ at their ends. */
export function cutMiddle(text: string, width: number, measure: (text: string) => number): string {
  if (measure(text) <= width) return text;
  for (let kept = text.length - 1; kept > 1; kept--) {
    const head = Math.floor(kept / 3);
    const cut = `${text.slice(0, head)}…${text.slice(text.length - (kept - head))}`;
    if (measure(cut) <= width) return cut;
  }
  return "…";
}
