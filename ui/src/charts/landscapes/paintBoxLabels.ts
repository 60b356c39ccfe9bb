// SPDX-License-Identifier: Apache-2.0
import { TICK_FONT } from "../frame/axes";
import type { Size } from "../frame/plotFrame";
import type { Ink, Surface } from "../frame/surface";
import type { BoxLabel } from "./surfaceBox";
import type { SurfaceScene } from "./surfaceScene";

const [GAP, TITLE_GAP] = [15, 32];
/** Beyond this slope to a side, a text begins or ends at its place. */
const ASIDE = 0.5;

/** Numbers and names along the edges of the box, outside of it. */
export function paintBoxLabels(surface: Surface, ink: Ink, scene: SurfaceScene, { width, height }: Size): void {
  surface.save();
  surface.textAlign = "left";
  surface.textBaseline = "middle";
  for (const label of scene.labels) {
    const { x, y, aside } = outside(scene, label);
    surface.font = label.isTitle ? `600 ${TICK_FONT}` : TICK_FONT;
    surface.fillStyle = ink(label.isTitle ? "var(--ink)" : "var(--ink-soft)");
    const leftOf = (text: string): number => {
      const length = surface.measureText(text).width;
      return x - (label.isTitle && aside > ASIDE ? 0 : label.isTitle && aside < -ASIDE ? length : length / 2);
    };
    const isIn = (text: string): boolean => leftOf(text) >= 0 && leftOf(text) + surface.measureText(text).width <= width;
    if (!label.isTitle) {
      // a number beyond the edge of the picture is left out
      if (isIn(label.text) && y > 4 && y < height - 4) surface.fillText(label.text, leftOf(label.text), y);
      continue;
    }
    // a title stays in the picture, without what is in parentheses if there is no room
    const text = isIn(label.text) ? label.text : label.text.replace(/\s?[(（].*$/, "");
    const room = width - surface.measureText(text).width - 2;
    surface.fillText(text, Math.max(2, Math.min(room, leftOf(text))), Math.max(8, Math.min(height - 8, y)));
  }
  surface.restore();
}

/** The place of a text in CSS pixels, and how much it lies to the right of its edge, from -1 to 1. */
function outside(scene: SurfaceScene, { at, out, isTitle = false }: BoxLabel): { x: number; y: number; aside: number } {
  const from = scene.project(at);
  const to = scene.project([at[0] + 0.2 * out[0], at[1] + 0.2 * out[1], at[2] + 0.2 * out[2]]);
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const [right, down] = [(to.x - from.x) / length, (to.y - from.y) / length];
  const isUp = out[1] > 0;
  const gap = isTitle && !isUp ? TITLE_GAP : GAP;
  return { x: from.x + right * gap * 1.3, y: from.y + down * gap, aside: isUp ? 0 : right };
}
