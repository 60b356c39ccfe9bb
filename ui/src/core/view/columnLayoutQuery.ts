// SPDX-License-Identifier: Apache-2.0
import { dictionary, flag, list, text, type Codec } from "./schema";

const WIDTH: Codec<readonly [string, number]> = {
  read: (pair) => {
    const [, width, column] = /^(\d{1,4}):(.+)$/s.exec(pair) ?? [];
    return width !== undefined && column !== undefined ? [column, Number(width)] : null;
  },
  write: ([column, width]) => `${width}:${column}`,
};

/** What people changed of the columns of a table, a `ColumnLayout`; `prefix` begins the names of its parameters. */
export function layoutParams(prefix: string) {
  return {
    isChosen: flag(`${prefix}columns`, "chosen"),
    added: list(`${prefix}with`, text),
    hidden: list(`${prefix}hidden`, text),
    order: list(`${prefix}column`, text),
    pinned: list(`${prefix}fixed`, text),
    widths: dictionary(`${prefix}width`, WIDTH),
  };
}
