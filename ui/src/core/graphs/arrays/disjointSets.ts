// SPDX-License-Identifier: Apache-2.0
/** Sets of indices that join, in nearly constant time each. */
export class DisjointSets {
  private readonly above: Int32Array;

  constructor(count: number) {
    this.above = Int32Array.from({ length: count }, (_, index) => index);
  }

  /** The index that represents the set of an index. */
  find(index: number): number {
    const { above } = this;
    let top = index;
    while (above[top] !== top) top = above[top] = above[above[top]!]!;
    return top;
  }

  join(a: number, b: number): void {
    this.above[this.find(a)] = this.find(b);
  }
}
