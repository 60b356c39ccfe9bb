// SPDX-License-Identifier: Apache-2.0
export interface Flow {
  source: number;
  target: number;
}

/** Position of a box in a graph overview: its row from the top, and its index in the row. */
export interface BoxPlace {
  row: number;
  column: number;
  /** How many boxes the row has. */
  columns: number;
}

/** Rows by the longest way from a source; a flow that would close a circle is left out of the reckoning. */
export function layerBoxes(count: number, flows: readonly Flow[]): BoxPlace[] {
  const forward = forwardFlows(count, flows);
  const rows = new Array<number>(count).fill(0);
  for (let round = 0; round < count; round++) {
    let isSettled = true;
    for (const { source, target } of forward) {
      if (rows[target]! > rows[source]!) continue;
      rows[target] = rows[source]! + 1;
      isSettled = false;
    }
    if (isSettled) break;
  }
  const widths = new Map<number, number>();
  const columns = rows.map((row) => {
    const column = widths.get(row) ?? 0;
    widths.set(row, column + 1);
    return column;
  });
  return rows.map((row, index) => ({ row, column: columns[index]!, columns: widths.get(row)! }));
}

/** The flows without those that lead back to a box on the way to them. */
function forwardFlows(count: number, flows: readonly Flow[]): Flow[] {
  const targets = Array.from({ length: count }, () => [] as number[]);
  for (const { source, target } of flows) if (source !== target) targets[source]!.push(target);
  const state = new Uint8Array(count); // 1 on the way, 2 done
  const forward: Flow[] = [];
  const visit = (source: number): void => {
    state[source] = 1;
    for (const target of targets[source]!) {
      if (state[target] === 1) continue;
      forward.push({ source, target });
      if (state[target] === 0) visit(target);
    }
    state[source] = 2;
  };
  for (let box = 0; box < count; box++) if (state[box] === 0) visit(box);
  return forward;
}
