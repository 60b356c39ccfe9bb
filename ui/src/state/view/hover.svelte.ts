// SPDX-License-Identifier: Apache-2.0
/** What the pointer is at, shared by everything on the page that answers to it. */
class Pointer {
  /** Run under the pointer in a list of runs: its curves come to the front. */
  run = $state<string | null>(null);
  /** Chart under the pointer and the position on its horizontal axis: other charts show the same place. */
  place = $state.raw<{ tag: string; x: number; axis: string } | null>(null);

  /** Where a chart shows the cursor of another one over the same axis. */
  crosshairOf(tag: string, axis: string): number | null {
    return this.place && this.place.tag !== tag && this.place.axis === axis ? this.place.x : null;
  }
}

export const pointer = new Pointer();
