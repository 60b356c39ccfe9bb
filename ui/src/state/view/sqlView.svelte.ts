// SPDX-License-Identifier: Apache-2.0
import type { SqlView } from "../../core/view/sqlView";
import { address } from "./address.svelte";

/** What the page Query looks like; all of it is in the address. */
class SqlViewState {
  readonly shown: SqlView = $derived(address.state.sql);

  set(change: Partial<SqlView>): void {
    address.change({ sql: { ...this.shown, ...change } });
  }
}

export const sqlView = new SqlViewState();
