// SPDX-License-Identifier: Apache-2.0
import { dictionary, type Codec } from "./schema";

/** By what a table is sorted: the key of a column, and whether the largest is first. */
export interface TableOrder {
  key: string;
  isDescending: boolean;
}

/** Of small tables by their names; a table without an entry has its usual order. */
export type TableOrders = Readonly<Record<string, TableOrder>>;

const ORDER: Codec<readonly [string, TableOrder]> = {
  read: (text) => {
    const order = /^(?<table>[a-z]+)~(?<sign>[+-])(?<key>.+)$/s.exec(text)?.groups;
    return order ? [order.table!, { key: order.key!, isDescending: order.sign === "-" }] : null;
  },
  write: ([table, { key, isDescending }]) => `${table}~${isDescending ? "-" : "+"}${key}`,
};

export const TABLE_ORDERS = dictionary("table_order", ORDER);
