// SPDX-License-Identifier: Apache-2.0
import { stepOfRow, unionOfSteps } from "../../core/series/steps";
import { view } from "./view.svelte";

/** The step of every card: that of the page, unless the card has its own. */
export class CardSteps {
  /** Steps of cards with a slider moved by hand, null following the newest; by key of the card. */
  #own = $state.raw<ReadonlyMap<string, number | null>>(new Map());
  #lists = $state.raw<ReadonlyMap<string, { steps: readonly number[]; isPanel: boolean }>>(new Map());
  /** Steps of what is on the screen: of the panels while a tag fills the page, of the cards otherwise. */
  union = $derived.by(() => {
    const lists = [...this.#lists.values()];
    const panels = lists.filter(({ isPanel }) => isPanel);
    return unionOfSteps((panels.length > 0 ? panels : lists).map(({ steps }) => steps));
  });

  of(key: string): number | null {
    return this.#own.has(key) ? this.#own.get(key)! : view.step;
  }

  setOwn(key: string, step: number | null): void {
    this.#own = new Map(this.#own).set(key, step);
  }

  /** All cards at one step; what single cards were set to is forgotten. */
  setAll(step: number | null): void {
    this.#own = new Map();
    view.setStep(step);
  }

  setAllToRow(steps: readonly number[], row: number): void {
    this.setAll(stepOfRow(steps, row));
  }

  /** `owner` is the component: a card and a panel may show the same series at once. */
  note(owner: string, steps: readonly number[], isPanel = false): void {
    this.#lists = new Map(this.#lists).set(owner, { steps, isPanel });
  }

  forget(owner: string): void {
    const lists = new Map(this.#lists);
    lists.delete(owner);
    this.#lists = lists;
  }

  /** Drops what cards were set to by hand. */
  restore(): void {
    this.#own = new Map();
  }
}

/** Of all kinds of media together. */
export const mediaSteps = new CardSteps();
export const prCurveSteps = new CardSteps();
