// SPDX-License-Identifier: Apache-2.0
import { assignSlots, SLOTS, type Slots } from "../../core/runs/colorAssignment";
import { notebook } from "../annotations/notebook.svelte";
import { readStored, writeStored } from "./storage";

const KEY = "colors";

/** Color of every run: the same on every page and in every session, changed only by a person. */
class Colors {
  #slots = $state.raw<Slots>(readStored<{ slots?: Slots }>(KEY, {}).slots ?? {});

  /** Gives new runs their colors; the others keep theirs. */
  assign(runs: readonly string[]): void {
    if (runs.every((run) => this.#slots[run] !== undefined)) return;
    this.#slots = assignSlots(this.#slots, runs);
    writeStored(KEY, { slots: this.#slots });
  }

  /** A CSS color: a token of the palette, so that it follows the theme, or the person's own. */
  of(run: string): string {
    const chosen = notebook.notesOf(run)?.colour ?? null;
    return chosen === null ? slotColor(this.#slots[run] ?? 0) : chosenColor(chosen);
  }

  isChosen(run: string): boolean {
    return (notebook.notesOf(run)?.colour ?? null) !== null;
  }

  /** A place of the palette or #rrggbb, kept by the server for everybody. */
  choose(run: string, color: number | string): void {
    void notebook.changeRuns([run], { colour: noted(color) });
  }

  reset(run: string): void {
    void notebook.changeRuns([run], { colour: null });
  }
}

/** A color as the notebook holds it. */
export function noted(color: number | string): string {
  return String(color).toLowerCase();
}

/** A color of the notebook as CSS. */
export function chosenColor(chosen: string): string {
  return chosen.startsWith("#") ? chosen : slotColor(Number(chosen));
}

export function slotColor(slot: number): string {
  return `var(--series-${slot % SLOTS})`;
}

export const colors = new Colors();
