// SPDX-License-Identifier: Apache-2.0
import { queryToView, viewToQuery, type ViewState } from "../core/urlState";
import { place } from "./place.svelte";

/** What the address says of the pages, as state; every change is written into it. */
class Address {
  #state = $state.raw<ViewState>(queryToView(place.query));

  get state(): ViewState {
    return this.#state;
  }

  change(change: Partial<ViewState>): void {
    this.#state = { ...this.#state, ...change };
    place.describe(viewToQuery(this.#state));
  }

  /** After the browser went back or forward. */
  reread(): void {
    this.#state = queryToView(place.query);
  }
}

export const address = new Address();
