// SPDX-License-Identifier: Apache-2.0
import { assignSlots, SLOTS, type Slots } from "../core/colourAssignment";
import { notebook } from "./notebook.svelte";
import { readStored, writeStored } from "./storage";

const KEY = "colours";

/** Colour of every run: the same on every page and in every session, changed only by a person. */
class Colours {
  #slots = $state.raw<Slots>(readStored<{ slots?: Slots }>(KEY, {}).slots ?? {});

  /** Gives new runs their colours; the others keep theirs. */
  assign(runs: readonly string[]): void {
    if (runs.every((run) => this.#slots[run] !== undefined)) return;
    this.#slots = assignSlots(this.#slots, runs);
    writeStored(KEY, { slots: this.#slots });
  }

  /** A CSS colour: a token of the palette, so that it follows the theme, or the person's own. */
  of(run: string): string {
    const chosen = notebook.notesOf(run)?.colour ?? null;
    return chosen === null ? slotColour(this.#slots[run] ?? 0) : chosenColour(chosen);
  }

  isChosen(run: string): boolean {
    return (notebook.notesOf(run)?.colour ?? null) !== null;
  }

  /** A place of the palette or #rrggbb, kept by the server for everybody. */
  choose(run: string, colour: number | string): void {
    void notebook.changeRuns([run], { colour: noted(colour) });
  }

  reset(run: string): void {
    void notebook.changeRuns([run], { colour: null });
  }
}

/** A colour as the notebook holds it. */
export function noted(colour: number | string): string {
  return String(colour).toLowerCase();
}

/** A colour of the notebook as CSS. */
export function chosenColour(chosen: string): string {
  return chosen.startsWith("#") ? chosen : slotColour(Number(chosen));
}

export function slotColour(slot: number): string {
  return `var(--series-${slot % SLOTS})`;
}

export const colours = new Colours();
