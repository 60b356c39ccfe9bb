// SPDX-License-Identifier: Apache-2.0
/**
 * Counts how many lines pass each pixel. A line weighs 1 in every pixel column, shared among the pixels that it covers
 * there: a noisy line does not outweigh a smooth one.
 *
 * Source: Moritz and Fisher, "Visualizing a Million Time Series with the Density Line Chart", 2018.
 */
export class LineDensity {
  readonly width: number;
  readonly height: number;
  /** Changes of weight down each column: column by column, one more than there are pixels. */
  readonly #changes: Float32Array;
  readonly #low: Float32Array;
  readonly #high: Float32Array;

  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
    this.#changes = new Float32Array(width * (height + 1));
    this.#low = new Float32Array(width);
    this.#high = new Float32Array(width);
  }

  /** Adds a line through these pixel positions; NaN breaks it. */
  add(x: ArrayLike<number>, y: ArrayLike<number>): void {
    this.#low.fill(Infinity);
    this.#high.fill(-Infinity);
    for (let row = 0; row < y.length; row++) {
      if (Number.isFinite(x[row]) && Number.isFinite(y[row])) this.#segment(x, y, row);
    }
    for (let column = 0; column < this.width; column++) this.#weigh(column);
  }

  /** Weights by column and then by pixel from the top. */
  weights(): Float32Array {
    const { width, height } = this;
    const weights = new Float32Array(width * height);
    for (let column = 0; column < width; column++) {
      let sum = 0;
      for (let pixel = 0; pixel < height; pixel++) {
        sum += this.#changes[column * (height + 1) + pixel]!;
        weights[column * height + pixel] = sum > 1e-4 ? sum : 0;
      }
    }
    return weights;
  }

  /** The segment that ends at a row, or its point alone where nothing is before it. */
  #segment(x: ArrayLike<number>, y: ArrayLike<number>, row: number): void {
    const joined = row > 0 && Number.isFinite(x[row - 1]) && Number.isFinite(y[row - 1]);
    const from = joined ? row - 1 : row;
    const [left, right] = x[from]! <= x[row]! ? [from, row] : [row, from];
    const [x0, y0, x1, y1] = [x[left]!, y[left]!, x[right]!, y[right]!];
    const slope = x1 > x0 ? (y1 - y0) / (x1 - x0) : 0;
    const last = Math.min(this.width - 1, Math.floor(x1));
    for (let column = Math.max(0, Math.floor(x0)); column <= last; column++) {
      this.#reach(column, x1 > x0 ? y0 + (Math.max(x0, column) - x0) * slope : y0);
      this.#reach(column, x1 > x0 ? y0 + (Math.min(x1, column + 1) - x0) * slope : y1);
    }
  }

  #reach(column: number, y: number): void {
    if (y < this.#low[column]!) this.#low[column] = y;
    if (y > this.#high[column]!) this.#high[column] = y;
  }

  #weigh(column: number): void {
    const [low, high] = [this.#low[column]!, this.#high[column]!];
    if (low > high || high < 0 || low >= this.height) return;
    const [first, last] = [Math.max(0, Math.floor(low)), Math.min(this.height - 1, Math.floor(high))];
    const weight = 1 / (Math.floor(high) - Math.floor(low) + 1);
    const start = column * (this.height + 1);
    this.#changes[start + first]! += weight;
    this.#changes[start + last + 1]! -= weight;
  }
}

/** The weight that is drawn darkest: nearly the largest, so that one pixel where all lines meet does not pale the rest. */
export function darkestWeight(weights: Float32Array): number {
  const found = weights.filter((weight) => weight > 0).sort();
  return found[Math.floor(0.98 * (found.length - 1))] ?? 1;
}
