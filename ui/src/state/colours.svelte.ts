// SPDX-License-Identifier: Apache-2.0
import { assignSlots, SLOTS, type Slots } from "../core/colourAssignment";
import { readStored, writeStored } from "./storage";

const KEY = "colours";

interface Stored {
  slots: Slots;
  /** Slot number or own colour (#rrggbb) that a person gave to a run. */
  chosen: Record<string, number | string>;
}

/** Colour of every run: the same on every page and in every session, changed only by a person. */
class Colours {
  #stored = $state.raw<Stored>({ slots: {}, chosen: {}, ...readStored<Partial<Stored>>(KEY, {}) });

  /** Gives new runs their colours; the others keep theirs. */
  assign(runs: readonly string[]): void {
    if (runs.every((run) => this.#stored.slots[run] !== undefined)) return;
    this.#keep({ ...this.#stored, slots: assignSlots(this.#stored.slots, runs) });
  }

  /** A CSS colour: a token of the palette, so that it follows the theme, or the person's own. */
  of(run: string): string {
    const chosen = this.#stored.chosen[run] ?? this.#stored.slots[run] ?? 0;
    return typeof chosen === "string" ? chosen : slotColour(chosen);
  }

  isChosen(run: string): boolean {
    return this.#stored.chosen[run] !== undefined;
  }

  choose(run: string, colour: number | string): void {
    this.#keep({ ...this.#stored, chosen: { ...this.#stored.chosen, [run]: colour } });
  }

  reset(run: string): void {
    const chosen = Object.entries(this.#stored.chosen).filter(([other]) => other !== run);
    this.#keep({ ...this.#stored, chosen: Object.fromEntries(chosen) });
  }

  #keep(stored: Stored): void {
    this.#stored = stored;
    writeStored(KEY, stored);
  }
}

export function slotColour(slot: number): string {
  return `var(--series-${slot % SLOTS})`;
}

export const colours = new Colours();
