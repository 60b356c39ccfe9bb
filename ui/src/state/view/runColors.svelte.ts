// SPDX-License-Identifier: Apache-2.0
import { assignSlots, SLOTS, type Slots } from "../../core/runs/colorAssignment";
import { ownValue } from "../../core/text/ownValue";
import { annotations } from "../annotations/annotations.svelte";
import { readStored, writeStored } from "./storage";

const KEY = "colors";

/** Color of every run: the same on every page and in every session, changed only by a person. */
class Colors {
  #slots = $state.raw<Slots>(readStored<{ slots?: Slots }>(KEY, {}).slots ?? {});

  /** Gives new runs their colors; the others keep theirs. */
  assign(runs: readonly string[]): void {
    if (runs.every((run) => ownValue(this.#slots, run) !== undefined)) return;
    this.#slots = assignSlots(this.#slots, runs);
    writeStored(KEY, { slots: this.#slots });
  }

  /** A CSS color: a token of the palette, so that it follows the theme, or the person's own. */
  of(run: string): string {
    const chosen = annotations.notesOf(run)?.color ?? null;
    return chosen === null ? slotColor(ownValue(this.#slots, run) ?? 0) : chosenColor(chosen);
  }

  isChosen(run: string): boolean {
    return (annotations.notesOf(run)?.color ?? null) !== null;
  }

  /** A place of the palette or #rrggbb, kept by the server for everybody. */
  choose(run: string, color: number | string): void {
    void annotations.changeRuns([run], { color: noted(color) });
  }

  reset(run: string): void {
    void annotations.changeRuns([run], { color: null });
  }
}

/** A color as the annotations hold it. */
export function noted(color: number | string): string {
  return String(color).toLowerCase();
}

/** A color of the annotations as CSS. */
export function chosenColor(chosen: string): string {
  return chosen.startsWith("#") ? chosen : slotColor(Number(chosen));
}

export function slotColor(slot: number): string {
  return `var(--series-${slot % SLOTS})`;
}

export const colors = new Colors();
