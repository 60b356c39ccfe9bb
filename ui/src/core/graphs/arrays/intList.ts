// SPDX-License-Identifier: Apache-2.0
/** A list of int32 that grows by doubling. */
export class IntList {
  length = 0;
  private values = new Int32Array(16);

  push(value: number): void {
    if (this.length === this.values.length) {
      const grown = new Int32Array(this.length * 2);
      grown.set(this.values);
      this.values = grown;
    }
    this.values[this.length++] = value;
  }

  at(index: number): number {
    return this.values[index]!;
  }

  pop(): number {
    return this.values[--this.length]!;
  }

  toArray(): Int32Array {
    return this.values.slice(0, this.length);
  }
}
