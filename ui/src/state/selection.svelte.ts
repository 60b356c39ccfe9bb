// SPDX-License-Identifier: Apache-2.0
import { choiceOf, chosenOf } from "../core/choice";
import { defaultShown } from "../core/runChoice";
import { runs } from "./runs.svelte";
import { view } from "./view.svelte";

/** Which runs are shown on every page. */
class Selection {
  /** Runs of the default choice, fixed when the list is first read; runs that begin later are added. */
  #default = new Set<string>();
  #known = new Set<string>();
  #defaults = $state.raw<readonly string[]>([]);

  shown = $derived.by<readonly string[]>(() => {
    if (view.runs) return chosenOf(view.runs, runs.ids);
    const defaults = new Set(this.#defaults);
    return runs.ids.filter((id) => defaults.has(id));
  });

  shownSet = $derived(new Set(this.shown));

  /** Runs that the choice names and that are not here: of a link from elsewhere, or deleted meanwhile. */
  missing = $derived.by<readonly string[]>(() => {
    if (view.runs?.base !== "none" || runs.all.length === 0) return [];
    return view.runs.except.filter((id) => !runs.byId.has(id));
  });

  /** To be called when the list of runs has changed. */
  notice(): void {
    const isFirst = this.#known.size === 0;
    const fresh = runs.list.filter((run) => !this.#known.has(run.id));
    if (fresh.length === 0) return;
    for (const id of isFirst ? defaultShown(runs.list) : fresh.map((run) => run.id)) this.#default.add(id);
    for (const run of fresh) this.#known.add(run.id);
    this.#defaults = [...this.#default];
  }

  isShown(run: string): boolean {
    return this.shownSet.has(run);
  }

  toggle(run: string): void {
    const shown = new Set(this.shown);
    if (!shown.delete(run)) shown.add(run);
    this.#choose(shown);
  }

  only(run: string): void {
    view.chooseRuns({ base: "none", except: [run] });
  }

  /** Shows these too, or none of these; the others stay. */
  setAll(ids: readonly string[], isShown: boolean): void {
    const shown = new Set(this.shown);
    for (const id of ids) {
      if (isShown) shown.add(id);
      else shown.delete(id);
    }
    this.#choose(shown);
  }

  /** Chooses the others only; where there are none, as before anybody chose. */
  leaveOutMissing(): void {
    const rest = view.runs?.except.filter((id) => runs.byId.has(id)) ?? [];
    view.chooseRuns(rest.length > 0 ? { base: "none", except: rest } : null);
  }

  #choose(shown: ReadonlySet<string>): void {
    view.chooseRuns(choiceOf(shown, runs.ids));
  }
}

export const selection = new Selection();
