// SPDX-License-Identifier: Apache-2.0
import { historyStep } from "../../core/view/historyStep";
import { queryToView, viewToQuery, type ViewState } from "../../core/view/urlState";
import { pageLocation } from "./location.svelte";

/** What the address says of the pages, as state; every change is written into it. */
class Address {
  #state = $state.raw<ViewState>(queryToView(pageLocation.query));

  get state(): ViewState {
    return this.#state;
  }

  change(change: Partial<ViewState>): void {
    const before = historyStep(this.#state);
    this.#state = { ...this.#state, ...change };
    pageLocation.describe(viewToQuery(this.#state), historyStep(this.#state) !== before);
  }

  /** After the browser went back or forward. */
  reread(): void {
    this.#state = queryToView(pageLocation.query);
  }
}

export const address = new Address();
