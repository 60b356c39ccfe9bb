// SPDX-License-Identifier: Apache-2.0
import { assignSlots, slotColor, type Slots } from "../../core/runs/colorAssignment";
import type { Dash } from "../../core/series/dashes";
import { ownValue } from "../../core/text/ownValue";
import { chosenColor, colors, noted } from "./runColors.svelte";
import { annotations } from "../annotations/annotations.svelte";
import { runs } from "../data/runs.svelte";
import { SelectedLooks } from "./selectedLooks.svelte";
import { readStored, writeStored } from "./storage";

const KEY = "group_colors";

interface Stored {
  slots?: Slots;
  /** Colors that a person gave, as CSS, when the server did not keep them yet. */
  chosen?: Readonly<Record<string, string>>;
}

/** Color of every group of runs: the same in every session, whichever runs are shown, changed only by a person. */
class GroupColors {
  #slots = $state.raw<Slots>(readStored<Stored>(KEY, {}).slots ?? {});
  readonly #looks = new SelectedLooks({ preferred: () => this.#slots, chosenOf: (group) => this.#chosenColor(group) });
  #isHandingOver = false;

  /** Assigns colors to new groups in their order; the others keep theirs. */
  assign(groups: readonly string[]): void {
    if (groups.every((group) => ownValue(this.#slots, group) !== undefined)) return;
    this.#slots = assignSlots(this.#slots, groups);
    writeStored(KEY, { ...readStored<Stored>(KEY, {}), slots: this.#slots });
  }

  /** Among these groups no two look alike. */
  follow(groups: () => readonly string[]): void {
    this.#looks.follow(groups);
  }

  /** A CSS color; a group that is one run keeps the color of the run. */
  of(group: string): string {
    return this.#looks.all.get(group)?.color ?? this.#chosenColor(group) ?? slotColor(ownValue(this.#slots, group) ?? 0);
  }

  /** Which of the groups of its color a group is, from 0. */
  repetitionOf(group: string): number {
    return this.#looks.repetitionOf(group);
  }

  dashOf(group: string): Dash {
    return this.#looks.dashOf(group);
  }

  isChosen(group: string): boolean {
    return runs.byId.has(group) ? colors.isChosen(group) : this.#chosen(group) !== null;
  }

  /** A place of the palette or #rrggbb, kept by the server for everybody. */
  choose(group: string, color: number | string): void {
    if (runs.byId.has(group)) return colors.choose(group, color);
    void annotations.changeGroups(new Map([[group, noted(color)]]));
  }

  reset(group: string): void {
    if (runs.byId.has(group)) return colors.reset(group);
    void annotations.changeGroups(new Map([[group, null]]));
  }

  /** Moves colors from this browser's storage to the server; newer colors on the server stay. */
  async handOver(): Promise<void> {
    const { chosen } = readStored<Stored>(KEY, {});
    if (!chosen || this.#isHandingOver) return;
    this.#isHandingOver = true;
    const left = Object.entries(chosen).filter(([group]) => this.#chosen(group) === null);
    const isTaken = left.length === 0 || (await annotations.changeGroups(new Map(left.map(([group, css]) => [group, notedCss(css)]))));
    if (isTaken) writeStored(KEY, { slots: readStored<Stored>(KEY, {}).slots });
    this.#isHandingOver = false;
  }

  #chosenColor(group: string): string | null {
    if (runs.byId.has(group)) return colors.of(group);
    const chosen = this.#chosen(group);
    return chosen === null ? null : chosenColor(chosen);
  }

  #chosen(group: string): string | null {
    return annotations.groups.get(group)?.color ?? null;
  }
}

/** `var(--series-3)` or #rrggbb as the annotations hold it. */
function notedCss(css: string): string {
  return noted(/^var\(--series-(\d)\)$/.exec(css)?.[1] ?? css);
}

export const groupColors = new GroupColors();
