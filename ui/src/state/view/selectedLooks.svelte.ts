// SPDX-License-Identifier: Apache-2.0
import { assignLooks, type LineLook, type Slots } from "../../core/runs/colorAssignment";
import { dashOf, type Dash } from "../../core/series/dashes";

interface Wishes {
  /** Slots of the palette that names had before. */
  preferred: () => Slots;
  /** The CSS color that a person gave to a name; null without one. */
  chosenOf: (name: string) => string | null;
}

/** Looks of the lines of what is selected: no two alike, and a name keeps its look while it stays selected. */
export class SelectedLooks {
  readonly #wishes: Wishes;
  #selected = $state.raw<() => readonly string[]>(() => []);
  #last: ReadonlyMap<string, LineLook> = new Map();

  /** By name. The same object while no look changes. */
  all = $derived.by<ReadonlyMap<string, LineLook>>(() => {
    const { preferred, chosenOf } = this.#wishes;
    const next = assignLooks(this.#last, this.#selected(), preferred(), chosenOf);
    if (!isSame(next, this.#last)) this.#last = next;
    return this.#last;
  });

  constructor(wishes: Wishes) {
    this.#wishes = wishes;
  }

  /** What is selected from now on. */
  follow(selected: () => readonly string[]): void {
    this.#selected = selected;
  }

  /** Which of the names of its color a name is, from 0. */
  repetitionOf(name: string): number {
    return this.all.get(name)?.repetition ?? 0;
  }

  dashOf(name: string): Dash {
    return dashOf(this.repetitionOf(name));
  }
}

function isSame(one: ReadonlyMap<string, LineLook>, other: ReadonlyMap<string, LineLook>): boolean {
  return one.size === other.size && [...one].every(([name, look]) => other.get(name) === look);
}
