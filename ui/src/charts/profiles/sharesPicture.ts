// SPDX-License-Identifier: Apache-2.0
import { TICK_FONT } from "../frame/axes";
import type { TitledPicture } from "../frame/picture";
import type { Ink, Surface } from "../frame/surface";

export interface PictureShare {
  name: string;
  share: number;
  /** The value in words. */
  text: string;
  color: string;
}

const [RING, RADIUS, THICK] = [200, 62, 30];
const [WIDTH, ROW, TOP, NAMES, VALUES] = [900, 22, 12, 260, 150];
const MOST_NAME = 44;

/** A ring, and bars with names and values beside it. */
export function sharesPicture(ring: readonly Omit<PictureShare, "text">[], bars: readonly PictureShare[]): TitledPicture {
  return (title) => ({
    title,
    size: { width: WIDTH, height: Math.max(RING, 2 * TOP + bars.length * ROW) },
    paint: (surface, _ratio, ink) => {
      paintRing(surface, ring, ink);
      paintBars(surface, bars, ink);
    },
  });
}

function paintRing(surface: Surface, ring: readonly Omit<PictureShare, "text">[], ink: Ink): void {
  surface.lineWidth = THICK;
  let at = -Math.PI / 2;
  for (const { share, color } of ring) {
    const end = at + 2 * Math.PI * Math.min(1, share);
    surface.strokeStyle = ink(color);
    surface.beginPath();
    surface.arc(RING / 2, RING / 2, RADIUS, at, Math.max(at + 0.004, end - 0.012));
    surface.stroke();
    at = end;
  }
}

function paintBars(surface: Surface, bars: readonly PictureShare[], ink: Ink): void {
  const [left, most] = [RING + NAMES, Math.max(1e-9, ...bars.map(({ share }) => share))];
  const room = WIDTH - left - VALUES;
  surface.font = TICK_FONT;
  surface.textBaseline = "middle";
  bars.forEach(({ name, share, text, color }, index) => {
    const y = TOP + (index + 0.5) * ROW;
    surface.fillStyle = ink(color);
    surface.fillRect(left, y - 5, Math.max(1, (share / most) * room), 10);
    surface.fillStyle = ink("var(--ink)");
    surface.textAlign = "left";
    surface.fillText(name.length > MOST_NAME ? `${name.slice(0, MOST_NAME)}…` : name, RING, y);
    surface.textAlign = "right";
    surface.fillText(text, WIDTH - 80, y);
    surface.fillText(`${(100 * share).toFixed(1)} %`, WIDTH - 16, y);
  });
}
