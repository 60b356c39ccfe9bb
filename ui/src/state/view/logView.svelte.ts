// SPDX-License-Identifier: Apache-2.0
import { LOGS_VIEW, type LogsView } from "../../core/view/logsView";
import { address } from "./address.svelte";
import { cardAddress } from "./reports.svelte";

/** What the page Logs looks like; all of it is in the address. Its code is loaded with the page. */
class LogView {
  readonly #shown = $derived(LOGS_VIEW.read(new URLSearchParams(address.state.logs.map(([name, value]) => [name, value]))));

  get shown(): LogsView {
    return this.#shown;
  }

  set(change: Partial<LogsView>): void {
    address.change({ logs: this.#written(change) });
  }

  /** The address of a card of a report: the open message alone, or the page. */
  cardAddress(isMessageCard: boolean): string {
    return cardAddress({ logs: this.#written({ isMessageCard }) });
  }

  #written(change: Partial<LogsView>): [string, string][] {
    const query = new URLSearchParams();
    LOGS_VIEW.write({ ...this.#shown, ...change }, query);
    return [...query];
  }
}

export const logView = new LogView();
