// SPDX-License-Identifier: Apache-2.0
import { layoutFlame, type Flame, type FlameLayout } from "../../core/profiles/flame";
import type { TitledPicture } from "../frame/picture";
import type { Ink, Surface } from "../frame/surface";
import { SliceLabels } from "./sliceLabels";

export const FLAME_ROW = 18;
const FONT = '11px "Inter Variable", system-ui, sans-serif';
/** A box from this width on has a text. */
const LABELED = 24;
const LEAST = 0.3;
const PALE = 0.25;
const SAVED_WIDTH = 1200;

export interface FlamePicture {
  flame: Flame;
  placed: FlameLayout;
  width: number;
  /** Boxes with other names are pale; null without a search. */
  matches: ((name: string) => boolean) | null;
}

export function paintFlame(surface: Surface, { flame, placed, width, matches }: FlamePicture, ink: Ink, labels: SliceLabels): void {
  const text = ink("var(--ink)");
  surface.font = FONT;
  surface.textBaseline = "middle";
  for (let node = 0; node < flame.parent.length; node++) {
    const wide = placed.width[node]! * width;
    if (wide < LEAST) continue;
    const [left, top] = [placed.left[node]! * width, placed.depth[node]! * FLAME_ROW];
    const name = flame.names[flame.name[node]!]!;
    surface.globalAlpha = matches !== null && !matches(name) ? PALE : 1;
    surface.fillStyle = ink(`var(--slice-${flame.colors[flame.name[node]!]!})`);
    surface.fillRect(left, top, Math.max(0.5, wide - (wide > 3 ? 1 : 0)), FLAME_ROW - 1);
    if (wide < LABELED) continue;
    surface.fillStyle = text;
    surface.fillText(labels.fit(surface, name, wide - 8), left + 4, top + FLAME_ROW / 2);
  }
  surface.globalAlpha = 1;
}

/** The whole graph, to be saved. */
export function flamePicture(flame: Flame): TitledPicture {
  const placed = layoutFlame(flame);
  return (title) => ({
    title,
    size: { width: SAVED_WIDTH, height: Math.max(1, placed.rows) * FLAME_ROW },
    paint: (surface, _ratio, ink) => paintFlame(surface, { flame, placed, width: SAVED_WIDTH, matches: null }, ink, new SliceLabels()),
  });
}
