// SPDX-License-Identifier: Apache-2.0
import { assignSlots, type Slots } from "../core/colourAssignment";
import { colours, slotColour } from "./colours.svelte";
import { runs } from "./runs.svelte";
import { readStored, writeStored } from "./storage";

const KEY = "group_colours";

interface Stored {
  slots?: Slots;
  chosen?: Readonly<Record<string, string>>;
}

/** Colour of every group of runs: the same in every session, whichever runs are shown. */
class GroupColours {
  #slots = $state.raw<Slots>(readStored<Stored>(KEY, {}).slots ?? {});
  /** Colours that a person gave, as CSS. */
  #chosen = $state.raw<Readonly<Record<string, string>>>(readStored<Stored>(KEY, {}).chosen ?? {});

  /** Gives new groups their colours, in the order in which they stand; the others keep theirs. */
  assign(groups: readonly string[]): void {
    if (groups.every((group) => this.#slots[group] !== undefined)) return;
    this.#slots = assignSlots(this.#slots, groups);
    this.#write();
  }

  /** A CSS colour; a group that is one run has the colour of the run. */
  of(group: string): string {
    return runs.byId.has(group) ? colours.of(group) : (this.#chosen[group] ?? slotColour(this.#slots[group] ?? 0));
  }

  isChosen(group: string): boolean {
    return runs.byId.has(group) ? colours.isChosen(group) : this.#chosen[group] !== undefined;
  }

  /** A place of the palette or #rrggbb. */
  choose(group: string, colour: number | string): void {
    if (runs.byId.has(group)) return colours.choose(group, colour);
    this.#chosen = { ...this.#chosen, [group]: typeof colour === "number" ? slotColour(colour) : colour };
    this.#write();
  }

  reset(group: string): void {
    if (runs.byId.has(group)) return colours.reset(group);
    this.#chosen = Object.fromEntries(Object.entries(this.#chosen).filter(([other]) => other !== group));
    this.#write();
  }

  #write(): void {
    writeStored(KEY, { slots: this.#slots, chosen: this.#chosen });
  }
}

export const groupColours = new GroupColours();
