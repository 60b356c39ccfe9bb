// SPDX-License-Identifier: Apache-2.0
import { untrack } from "svelte";

import { assignSlots, slotColor, slotOf, type Slots } from "../../core/runs/colorAssignment";
import type { Dash } from "../../core/series/dashes";
import { ownValue } from "../../core/text/ownValue";
import { annotations } from "../annotations/annotations.svelte";
import { SelectedLooks } from "./selectedLooks.svelte";
import { readStored, writeStored } from "./storage";

const KEY = "colors";

/**
 * Color of every run: the same on every page, and in every session for runs that are selected together. Selected runs
 * differ by their colors, and by dashes where more are selected than there are colors.
 */
class Colors {
  #slots = $state.raw<Slots>(readStored<{ slots?: Slots }>(KEY, {}).slots ?? {});
  readonly #looks = new SelectedLooks({ preferred: () => this.#slots, chosenOf });

  /** Gives new runs the colors that they prefer; the others keep theirs. */
  assign(runs: readonly string[]): void {
    if (runs.every((run) => ownValue(this.#slots, run) !== undefined)) return;
    this.#keep(assignSlots(this.#slots, runs));
  }

  /** Among these runs no two look alike. */
  follow(selected: () => readonly string[]): void {
    this.#looks.follow(selected);
  }

  /** Selected runs have the same colors in the next session; call it in an effect. */
  remember(): void {
    const given = [...this.#looks.all].flatMap(([run, { color, isChosen }]) => (isChosen ? [] : [[run, slotOf(color)!] as const]));
    untrack(() => {
      if (given.some(([run, slot]) => ownValue(this.#slots, run) !== slot)) this.#keep({ ...this.#slots, ...Object.fromEntries(given) });
    });
  }

  /** A CSS color: a token of the palette, so that it follows the theme, or the person's own. */
  of(run: string): string {
    return this.#looks.all.get(run)?.color ?? chosenOf(run) ?? slotColor(ownValue(this.#slots, run) ?? 0);
  }

  /** Which of the selected runs of its color a run is, from 0. */
  repetitionOf(run: string): number {
    return this.#looks.repetitionOf(run);
  }

  dashOf(run: string): Dash {
    return this.#looks.dashOf(run);
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

  #keep(slots: Slots): void {
    this.#slots = slots;
    writeStored(KEY, { slots });
  }
}

function chosenOf(run: string): string | null {
  const chosen = annotations.notesOf(run)?.color ?? null;
  return chosen === null ? null : chosenColor(chosen);
}

/** A color as the annotations hold it. */
export function noted(color: number | string): string {
  return String(color).toLowerCase();
}

/** A color of the annotations as CSS. */
export function chosenColor(chosen: string): string {
  return chosen.startsWith("#") ? chosen : slotColor(Number(chosen));
}

export const colors = new Colors();
