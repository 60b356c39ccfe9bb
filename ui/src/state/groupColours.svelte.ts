// SPDX-License-Identifier: Apache-2.0
import { assignSlots, type Slots } from "../core/colourAssignment";
import { colours, slotColour } from "./colours.svelte";
import { runs } from "./runs.svelte";
import { readStored, writeStored } from "./storage";

const KEY = "group_colours";

/** Colour of every group of runs: the same in every session, whichever runs are shown. */
class GroupColours {
  #slots = $state.raw<Slots>(readStored<{ slots?: Slots }>(KEY, {}).slots ?? {});

  /** Gives new groups their colours, in the order in which they stand; the others keep theirs. */
  assign(groups: readonly string[]): void {
    if (groups.every((group) => this.#slots[group] !== undefined)) return;
    this.#slots = assignSlots(this.#slots, groups);
    writeStored(KEY, { slots: this.#slots });
  }

  /** A CSS colour; a group that is one run has the colour of the run. */
  of(group: string): string {
    return runs.byId.has(group) ? colours.of(group) : slotColour(this.#slots[group] ?? 0);
  }
}

export const groupColours = new GroupColours();
