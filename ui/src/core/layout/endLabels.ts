// SPDX-License-Identifier: Apache-2.0
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
