// SPDX-License-Identifier: Apache-2.0
import type { WatchEntry } from "../../../core/view/debugView";
import type { DebugConditions } from "../../../state/data/debugger";
import { view } from "../../../state/view/view.svelte";

/** The watchpoints of the page, which the address holds; the recommended ones until they are changed. */
export class WatchEntries {
  readonly #conditions: () => DebugConditions | null;
  readonly all = $derived.by<readonly WatchEntry[]>(
    () => view.debug.watchpoints ?? this.#conditions()?.recommended.map(({ name }) => ({ text: name, isOn: true })) ?? [],
  );
  /** Texts of those that are on, as they are evaluated. */
  readonly evaluated = $derived(this.all.filter(({ isOn }) => isOn).map(({ text }) => text));
  /** Place in `evaluated` of the one whose hits are listed; null for all of them. */
  readonly watched = $derived.by(() => {
    const place = view.debug.watched === null ? -1 : this.evaluated.indexOf(view.debug.watched);
    return place < 0 ? null : place;
  });

  constructor(conditions: () => DebugConditions | null) {
    this.#conditions = conditions;
  }

  /** The place in `evaluated` of an entry; -1 of one that is off. */
  evaluatedPlace(place: number): number {
    return this.all[place]!.isOn ? this.all.slice(0, place).filter(({ isOn }) => isOn).length : -1;
  }

  turn(place: number, isOn: boolean): void {
    this.#write(this.all.map((each, at) => (at === place ? { ...each, isOn } : each)));
  }

  remove(place: number): void {
    this.#write(this.all.filter((_, at) => at !== place));
  }

  /** Puts a watchpoint in the place of another, or at the end; the same one is not twice in the list. */
  save(text: string, place: number | null): void {
    const next = place === null ? [...this.all, { text, isOn: true }] : this.all.with(place, { text, isOn: true });
    const own = place ?? this.all.length;
    this.#write(next.filter((each, at) => at === own || each.text !== text));
  }

  reset(): void {
    view.setDebug({ watchpoints: null, watched: null });
  }

  watch(text: string | null): void {
    view.setDebug({ watched: text });
  }

  #write(watchpoints: readonly WatchEntry[]): void {
    const isKept = watchpoints.some(({ text, isOn }) => isOn && text === view.debug.watched);
    view.setDebug({ watchpoints, watched: isKept ? view.debug.watched : null });
  }
}
