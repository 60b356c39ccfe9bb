// SPDX-License-Identifier: Apache-2.0
import { describeLogs, logsViewOf, type LogsView } from "../../core/view/logsView";
import { address } from "./address.svelte";

/** What the page Logs looks like; all of it is in the address. Its code is loaded with the page. */
class LogView {
  readonly #shown = $derived(logsViewOf(new URLSearchParams(address.state.logs.map(([name, value]) => [name, value]))));

  get shown(): LogsView {
    return this.#shown;
  }

  set(change: Partial<LogsView>): void {
    const query = new URLSearchParams();
    describeLogs({ ...this.#shown, ...change }, query);
    address.change({ logs: [...query] });
  }
}

export const logView = new LogView();
