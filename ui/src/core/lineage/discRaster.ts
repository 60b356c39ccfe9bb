// SPDX-License-Identifier: Apache-2.0
import type { Rgb } from "../scales/colorMap";

/** Pixels of red, green, blue and opacity, as a canvas has them. */
export interface Pixels {
  width: number;
  height: number;
  data: Uint8ClampedArray;
}

/** Paints an anti-aliased disc over what is there: 10,000 of them within a frame, which paths of a canvas can't. */
export function paintDisc(
  { width, height, data }: Pixels,
  x: number,
  y: number,
  radius: number,
  [red, green, blue]: Rgb,
  opacity: number,
): void {
  const [left, right] = [Math.max(0, Math.floor(x - radius - 0.5)), Math.min(width - 1, Math.ceil(x + radius + 0.5))];
  const [top, bottom] = [Math.max(0, Math.floor(y - radius - 0.5)), Math.min(height - 1, Math.ceil(y + radius + 0.5))];
  for (let row = top; row <= bottom; row++) {
    for (let column = left; column <= right; column++) {
      const inside = radius + 0.5 - Math.hypot(column + 0.5 - x, row + 0.5 - y);
      if (inside <= 0) continue;
      const front = opacity * Math.min(1, inside);
      const at = 4 * (row * width + column);
      const back = (data[at + 3]! / 255) * (1 - front);
      const whole = front + back;
      data[at] = (red * front + data[at]! * back) / whole;
      data[at + 1] = (green * front + data[at + 1]! * back) / whole;
      data[at + 2] = (blue * front + data[at + 2]! * back) / whole;
      data[at + 3] = 255 * whole;
    }
  }
}
