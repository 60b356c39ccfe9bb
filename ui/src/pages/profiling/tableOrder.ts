// SPDX-License-Identifier: Apache-2.0
import type { TableOrder } from "../../core/view/tableOrders";
import { view } from "../../state/view/view.svelte";

/** Properties of a table whose order is in the address under its name. */
export function tableOrder(table: string): { order: TableOrder | null; onorder: (order: TableOrder) => void } {
  const { orders } = view.profiles;
  return { order: orders[table] ?? null, onorder: (order) => view.setProfiles({ orders: { ...orders, [table]: order } }) };
}
