// SPDX-License-Identifier: Apache-2.0
import { inclusionSetOf, includedIn } from "../../core/view/inclusionSet";
import { matcherFor } from "../../core/text/textFilter";
import { defaultSelection } from "../../core/runs/defaultSelection";
import { annotations, notesText } from "../annotations/annotations.svelte";
import { runs, type Run } from "../data/runs.svelte";
import { conditions } from "./conditions.svelte";
import { view } from "./view.svelte";

/** Which runs are shown on every page: the ticked ones among those that meet all conditions of the list. */
class Selection {
  /** Last updates of the runs when the list was first read: the newest of them are shown before anybody chose. */
  #first = $state.raw<ReadonlyMap<string, number>>(new Map());
  /** Runs that began later; they are shown too. */
  #later = $state.raw<ReadonlySet<string>>(new Set());

  /** Runs that meet all conditions. */
  matching = $derived.by<readonly Run[]>(() => (this.#hasConditions ? runs.list.filter(({ id }) => this.#matches(id)) : runs.list));

  shown = $derived.by<readonly string[]>(() => {
    const ids = this.matching.map(({ id }) => id);
    if (view.runs) return includedIn(view.runs, ids);
    const defaults = this.#defaultOf(this.matching);
    return ids.filter((id) => defaults.has(id));
  });

  #hasConditions = $derived(view.list.filter.text.trim() !== "" || conditions.isSet);

  #matches = $derived.by(() => {
    const { matches } = matcherFor(view.list.filter);
    return (run: string): boolean => matches(searchedText(run)) && conditions.matches(run);
  });

  shownSet = $derived(new Set(this.shown));

  /** There are too many runs to show all of them unasked. */
  isLimited = $derived(view.runs === null && this.shown.length < this.matching.length);

  /** How many runs are known; changes when the default choice does. */
  knownCount = $derived(this.#first.size + this.#later.size);

  /** Runs in the selection that do not exist: from a link, or deleted. */
  missing = $derived.by<readonly string[]>(() => {
    if (view.runs?.base !== "none" || runs.all.length === 0) return [];
    return view.runs.except.filter((id) => !runs.byId.has(id));
  });

  /** To be called when the list of runs has changed. */
  notice(): void {
    const fresh = runs.list.filter(({ id }) => !this.#first.has(id) && !this.#later.has(id));
    if (fresh.length === 0) return;
    if (this.#first.size === 0) this.#first = new Map(fresh.map((run) => [run.id, run.last_wall_time ?? 0]));
    else this.#later = new Set([...this.#later, ...fresh.map(({ id }) => id)]);
  }

  isShown(run: string): boolean {
    return this.shownSet.has(run);
  }

  /** Whether the table of runs, which may leave the shown ones out or all others, has a run. */
  isInTable(run: string): boolean {
    const { rows } = view.table;
    return rows === "all" || this.isShown(run) === (rows === "selected");
  }

  toggle(run: string): void {
    this.setAll([run], !this.isShown(run));
  }

  only(run: string): void {
    this.#uncover([run]);
    view.chooseRuns({ base: "none", except: [run] });
  }

  /** Shows these too, or none of these; the others stay. */
  setAll(ids: readonly string[], isShown: boolean): void {
    const ticked = this.#ticked();
    if (isShown) this.#uncover(ids);
    for (const id of ids) {
      if (isShown) ticked.add(id);
      else ticked.delete(id);
    }
    view.chooseRuns(inclusionSetOf(ticked, runs.ids));
  }

  /** Chooses the others only; where there are none, as before anybody chose. */
  leaveOutMissing(): void {
    const rest = view.runs?.except.filter((id) => runs.byId.has(id)) ?? [];
    view.chooseRuns(rest.length > 0 ? { base: "none", except: rest } : null);
  }

  /** Also those that the filter hides: they are shown again without it. */
  #ticked(): Set<string> {
    return new Set(view.runs ? includedIn(view.runs, runs.ids) : [...this.#defaultOf(runs.list), ...this.shown]);
  }

  #defaultOf(offered: readonly Run[]): Set<string> {
    const known = offered.flatMap(({ id }) => (this.#first.has(id) ? [{ id, last_wall_time: this.#first.get(id)! }] : []));
    return new Set([...defaultSelection(known), ...offered.flatMap(({ id }) => (this.#later.has(id) ? [id] : []))]);
  }

  /** Removes conditions that hide a run of these. */
  #uncover(ids: readonly string[]): void {
    if (this.#hasConditions && !ids.every((id) => this.#matches(id))) view.clearRunFilter();
  }
}

/** What of a run the filter looks at: its name, and what people noted. */
export function searchedText(id: string): string {
  const notes = notesText(annotations.notesOf(id));
  return notes === "" ? id : `${id} ${notes}`;
}

export const selection = new Selection();
