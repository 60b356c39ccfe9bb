// SPDX-License-Identifier: Apache-2.0
import { passingRows, type Brush, type Brushes } from "../../core/lineage/brushes";
import type { LineageTable } from "../../core/lineage/lineageTable";
import { view } from "../../state/view/view.svelte";

/** A brush that moves is drawn at once; the table and the other pages follow when it rests and no button is pressed. */
const REST_MS = 120;

let isPressed = false;
addEventListener("pointerdown", () => (isPressed = true), true);
for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => (isPressed = false), true);

/** Brushes of the charts. One object serves one chart, which calls `end` when it goes. */
export class ChartBrushes {
  #moving = $state.raw<Brushes | null>(null);
  #timer: ReturnType<typeof setTimeout> | undefined;

  value = $derived(this.#moving ?? view.list.brushes);

  /** Null removes the brushes of a column. */
  set(column: string, brushes: readonly Brush[] | null): void {
    const next = new Map(this.value);
    if (brushes === null || brushes.length === 0) next.delete(column);
    else next.set(column, brushes);
    this.#moving = next;
    this.#wait();
  }

  /** For each row of the table 1 if it passes; undefined without brushes. */
  passing(table: LineageTable): Uint8Array | undefined {
    if (this.value.size === 0) return undefined;
    const columns = [...this.value.keys()].flatMap((id) => table.columns.get(id) ?? []);
    return passingRows(columns, this.value, table.runs.length);
  }

  #wait(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => (isPressed ? this.#wait() : this.end()), REST_MS);
  }

  /** Hands the brushes over to the whole page. */
  end(): void {
    clearTimeout(this.#timer);
    if (this.#moving) view.setList({ brushes: this.#moving });
    this.#moving = null;
  }
}
