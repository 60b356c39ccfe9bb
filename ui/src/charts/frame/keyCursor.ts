// SPDX-License-Identifier: Apache-2.0
import { nearestRow } from "../../core/series/nearest";
import type { Curve } from "../../core/series/curve";

const LEAP = 10;

/** Walks over the rows of curves with the arrow keys: left and right along a curve, up and down between curves. */
export class KeyCursor {
  #curve = 0;
  #row = -1;

  /** The row to show after a key; null when the key means nothing here. */
  move(key: string, isShifted: boolean, curves: readonly Curve[]): { curve: Curve; row: number } | null {
    const filled = curves.filter((curve) => curve.x.length > 0);
    if (filled.length === 0) return null;
    const before = filled[Math.min(this.#curve, filled.length - 1)]!;
    const step = isShifted ? LEAP : 1;
    const last = before.x.length - 1;
    const from = this.#row < 0 ? last + 1 : Math.min(this.#row, last);
    if (key === "ArrowLeft") this.#row = Math.max(0, from - step);
    else if (key === "ArrowRight") this.#row = Math.min(last, from + step);
    else if (key === "Home") this.#row = 0;
    else if (key === "End") this.#row = last;
    else if (key === "ArrowUp" || key === "ArrowDown") this.#change(key === "ArrowUp" ? -1 : 1, filled, before, from);
    else return null;
    const curve = filled[Math.min(this.#curve, filled.length - 1)]!;
    return { curve, row: this.#row };
  }

  #change(direction: number, curves: readonly Curve[], before: Curve, from: number): void {
    const x = before.x[Math.min(from, before.x.length - 1)]!;
    this.#curve = (Math.min(this.#curve, curves.length - 1) + direction + curves.length) % curves.length;
    const curve = curves[this.#curve]!;
    this.#row = nearestRow(curve.x, x, curve.isAscending);
  }
}
