// SPDX-License-Identifier: Apache-2.0
import { nearestRow } from "../../core/series/nearest";
import type { Curve } from "../../core/series/curve";

const LEAP = 10;

interface CurveRow {
  curve: Curve;
  row: number;
}

/** Walks over the rows of curves with the arrow keys: left and right along a curve, up and down between curves. */
export class KeyCursor {
  #key: string | null = null;
  /** Position on the horizontal axis; null before the first key. A number of a row means another point after a zoom. */
  #x: number | null = null;
  /** Distinguishes rows of one position. */
  #row = -1;

  /** The row to show after a key; null when the key means nothing here. */
  move(key: string, isShifted: boolean, curves: readonly Curve[]): CurveRow | null {
    const filled = filledOf(curves);
    if (filled.length === 0) return null;
    const before = this.#curveOf(filled);
    const step = isShifted ? LEAP : 1;
    const last = before.x.length - 1;
    const from = this.#x === null ? last + 1 : this.#rowOf(before, this.#x);
    if (key === "ArrowLeft") return this.#keep(before, Math.max(0, from - step));
    if (key === "ArrowRight") return this.#keep(before, Math.min(last, from + step));
    if (key === "Home") return this.#keep(before, 0);
    if (key === "End") return this.#keep(before, last);
    if (key === "ArrowUp" || key === "ArrowDown") return this.#change(key === "ArrowUp" ? -1 : 1, filled, before, Math.min(from, last));
    return null;
  }

  /** The row at the position of the cursor, among curves that may hold other rows by now; null without a cursor. */
  at(curves: readonly Curve[]): CurveRow | null {
    const filled = filledOf(curves);
    if (filled.length === 0 || this.#x === null) return null;
    const curve = this.#curveOf(filled);
    return { curve, row: this.#rowOf(curve, this.#x) };
  }

  #curveOf(filled: readonly Curve[]): Curve {
    return filled.find(({ key }) => key === this.#key) ?? filled[0]!;
  }

  #rowOf(curve: Curve, x: number): number {
    return curve.x[this.#row] === x ? this.#row : nearestRow(curve.x, x, curve.isAscending);
  }

  #keep(curve: Curve, row: number): CurveRow {
    [this.#key, this.#x, this.#row] = [curve.key, curve.x[row]!, row];
    return { curve, row };
  }

  #change(direction: number, filled: readonly Curve[], before: Curve, from: number): CurveRow {
    const curve = filled[(filled.indexOf(before) + direction + filled.length) % filled.length]!;
    return this.#keep(curve, nearestRow(curve.x, before.x[from]!, curve.isAscending));
  }
}

function filledOf(curves: readonly Curve[]): readonly Curve[] {
  return curves.filter(({ x }) => x.length > 0);
}
