// SPDX-License-Identifier: Apache-2.0

/** By what a table is sorted: the key of a column, and whether the largest is first. */
export interface TableOrder {
  key: string;
  isDescending: boolean;
}

/** Of small tables by their names; a table without an entry has its usual order. */
export type TableOrders = Readonly<Record<string, TableOrder>>;

export function describeOrders(orders: TableOrders, query: URLSearchParams): void {
  for (const [table, { key, isDescending }] of Object.entries(orders))
    query.append("table_order", `${table}~${isDescending ? "-" : "+"}${key}`);
}

/** Never fails: what a link says wrongly is as if it said nothing. */
export function ordersOf(query: URLSearchParams): TableOrders {
  return Object.fromEntries(
    query.getAll("table_order").flatMap((text) => {
      const found = /^(?<table>[a-z]+)~(?<sign>[+-])(?<key>.+)$/s.exec(text)?.groups;
      return found ? [[found.table!, { key: found.key!, isDescending: found.sign === "-" }] as const] : [];
    }),
  );
}
