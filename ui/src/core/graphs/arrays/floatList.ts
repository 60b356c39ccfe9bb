// SPDX-License-Identifier: Apache-2.0
/** A list of float64 that grows by doubling. */
export class FloatList {
  length = 0;
  private values = new Float64Array(16);

  push(value: number): void {
    if (this.length === this.values.length) {
      const grown = new Float64Array(this.length * 2);
      grown.set(this.values);
      this.values = grown;
    }
    this.values[this.length++] = value;
  }

  at(index: number): number {
    return this.values[index]!;
  }

  toArray(): Float64Array {
    return this.values.slice(0, this.length);
  }
}
