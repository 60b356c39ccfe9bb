// SPDX-License-Identifier: Apache-2.0
import { LOGS_VIEW, type LogsView } from "../../core/view/logsView";
import { address } from "./address.svelte";

/** What the page Logs looks like; all of it is in the address. Its code is loaded with the page. */
class LogView {
  readonly #shown = $derived(LOGS_VIEW.read(new URLSearchParams(address.state.logs.map(([name, value]) => [name, value]))));

  get shown(): LogsView {
    return this.#shown;
  }

  set(change: Partial<LogsView>): void {
    const query = new URLSearchParams();
    LOGS_VIEW.write({ ...this.#shown, ...change }, query);
    address.change({ logs: [...query] });
  }
}

export const logView = new LogView();
