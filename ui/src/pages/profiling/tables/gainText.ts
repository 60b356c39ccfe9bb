// SPDX-License-Identifier: Apache-2.0
/** How many times as fast, in three digits: `1.16`, `10.7`, `250`. */
export function gainText(gain: number): string {
  return gain >= 100 ? gain.toFixed(0) : String(Number(gain.toPrecision(3)));
}
