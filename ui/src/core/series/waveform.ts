// SPDX-License-Identifier: Apache-2.0
/** Lowest and highest sample of every pixel column, so that no click is lost. */
export interface Waveform {
  low: Float32Array;
  high: Float32Array;
}

export function waveform(samples: Float32Array, pixels: number): Waveform {
  const columns = Math.max(1, Math.min(pixels, samples.length));
  const low = new Float32Array(columns);
  const high = new Float32Array(columns);
  for (let column = 0; column < columns; column++) {
    const first = Math.floor((column * samples.length) / columns);
    const end = Math.max(first + 1, Math.floor(((column + 1) * samples.length) / columns));
    let [least, most] = [Infinity, -Infinity];
    for (let index = first; index < end && index < samples.length; index++) {
      const sample = samples[index]!;
      if (sample < least) least = sample;
      if (sample > most) most = sample;
    }
    low[column] = least === Infinity ? 0 : least;
    high[column] = most === -Infinity ? 0 : most;
  }
  return { low, high };
}

/** The part of a pixel column between its lowest sample, its highest and the middle line, in pixels from the top. */
export function columnSpan(low: number, high: number, height: number, thinnest: number): { top: number; bottom: number } {
  const middle = height / 2;
  return { top: middle - Math.max(high * middle, thinnest / 2), bottom: middle - Math.min(low * middle, -thinnest / 2) };
}

/** 83.4 -> 1:23.4 */
export function formatPlace(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const rest = (seconds - minutes * 60).toFixed(1).padStart(4, "0");
  return `${minutes}:${rest}`;
}
