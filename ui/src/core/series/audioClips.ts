// SPDX-License-Identifier: Apache-2.0
/** A sound of a value that may hold several; `clip` counts from 0. */
export interface ClipPlace {
  clip: number;
  clips: number;
}

/** The chosen clip, or the last one of a value that has fewer. */
export function clipAmong(chosen: number, clips: number): number {
  return Math.min(chosen, Math.max(0, clips - 1));
}

/** A file name with the number of the clip, from 1; unchanged for a single clip. */
export function clipFileName(name: string, { clip, clips }: ClipPlace): string {
  return clips > 1 ? `${name}_${clip + 1}` : name;
}
