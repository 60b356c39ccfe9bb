// SPDX-License-Identifier: Apache-2.0
import { readStored, writeStored } from "./storage";

const NAME = "htmlScripts";

/**
 * The runs in whose HTML pages scripts run. The browser keeps them, and no address says them: a link of another user
 * allows nothing.
 */
class HtmlScripts {
  #runs = $state.raw<ReadonlySet<string>>(new Set(readStored<string[]>(NAME, [])));

  areAllowed(run: string): boolean {
    return this.#runs.has(run);
  }

  allow(run: string, isAllowed: boolean): void {
    const runs = new Set(this.#runs);
    if (isAllowed) runs.add(run);
    else runs.delete(run);
    this.#runs = runs;
    writeStored(NAME, [...runs]);
  }
}

export const htmlScripts = new HtmlScripts();
