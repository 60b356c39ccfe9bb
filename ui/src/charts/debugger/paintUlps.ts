// SPDX-License-Identifier: Apache-2.0
import { ulpTick, type UlpBar } from "../../core/debugger/tensorDifference";
import { formatCount } from "../../core/text/format";
import { TICK_FONT } from "../frame/axes";
import { labelWidth } from "../frame/labelWidth";
import type { Size } from "../frame/plotFrame";
import { crisp, segment, type Ink, type Surface } from "../frame/surface";

interface Painting {
  surface: Surface;
  size: Size;
  ratio: number;
  ink: Ink;
}

const [LEFT, TOP, RIGHT, BOTTOM] = [8, 18, 8, 22];
const MOST_BAR = 56;
/** Room beside a label. */
const GAP = 10;

/** The middles of the bars and their height. */
function layout({ width, height }: Size, bars: readonly UlpBar[]): { step: number; base: number; tall: (count: number) => number } {
  const step = Math.min(MOST_BAR, Math.max(1, width - LEFT - RIGHT) / Math.max(1, bars.length));
  const base = height - BOTTOM;
  const most = Math.log1p(Math.max(1, ...bars.map(({ count }) => count)));
  return { step, base, tall: (count) => (count === 0 ? 0 : Math.max(2, (Math.log1p(count) / most) * Math.max(1, base - TOP))) };
}

/** The bar at a place across. */
export function ulpBarAt(x: number, size: Size, bars: readonly UlpBar[]): number | null {
  const bar = Math.floor((x - LEFT) / layout(size, bars).step);
  return bar >= 0 && bar < bars.length ? bar : null;
}

export function ulpMarks(size: Size, bars: readonly UlpBar[]): { x: number; y: number }[][] {
  const { step, base, tall } = layout(size, bars);
  return [bars.map(({ count }, bar) => ({ x: LEFT + (bar + 0.5) * step, y: base - tall(count) / 2 }))];
}

/** How many pairs of elements are how many floating point numbers apart. Heights are logarithms of the counts. */
export function paintUlps({ surface, size, ratio, ink }: Painting, bars: readonly UlpBar[]): void {
  const { step, base, tall } = layout(size, bars);
  surface.font = TICK_FONT;
  surface.lineWidth = 1;
  surface.textAlign = "center";
  surface.textBaseline = "alphabetic";
  bars.forEach(({ count }, bar) => {
    surface.fillStyle = ink(bar === 0 ? "var(--ink-soft)" : "var(--accent)");
    surface.globalAlpha = bar === 0 ? 0.5 : 0.75;
    const height = tall(count);
    if (height > 0) surface.fillRect(LEFT + bar * step + 0.5, base - height, Math.max(1, step - 1), height);
  });
  surface.globalAlpha = 1;
  surface.strokeStyle = ink("var(--outline)");
  surface.beginPath();
  segment(surface, LEFT, crisp(base, ratio), LEFT + step * bars.length, crisp(base, ratio));
  surface.stroke();
  surface.fillStyle = ink("var(--ink-soft)");
  paintLabels(
    bars,
    step,
    (bar) => ulpTick(bars[bar]!.most),
    (text, x) => surface.fillText(text, x, base + 14),
  );
  paintLabels(
    bars,
    step,
    (bar) => (bars[bar]!.count === 0 ? "" : formatCount(bars[bar]!.count)),
    (text, x, bar) => surface.fillText(text, x, base - tall(bars[bar]!.count) - 4),
  );
}

/** Labels that would touch the one before are left out. */
function paintLabels(
  bars: readonly UlpBar[],
  step: number,
  text: (bar: number) => string,
  paint: (text: string, x: number, bar: number) => void,
): void {
  let end = -Infinity;
  bars.forEach((_, bar) => {
    const label = text(bar);
    const x = LEFT + (bar + 0.5) * step;
    const half = labelWidth(label) / 2;
    if (label === "" || x - half < end + GAP) return;
    paint(label, Math.max(half, x), bar);
    end = x + half;
  });
}
