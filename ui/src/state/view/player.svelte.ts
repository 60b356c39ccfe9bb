// SPDX-License-Identifier: Apache-2.0
const FRAME_MS = 250;

/** Plays frame by frame until the end or until it is stopped. */
export class Player {
  isPlaying = $state(false);
  #timer: ReturnType<typeof setInterval> | undefined;

  /** `advance` shows the next frame and says whether there are more. */
  toggle(advance: () => boolean, frameMs = FRAME_MS): void {
    if (this.isPlaying) {
      this.stop();
      return;
    }
    this.isPlaying = true;
    this.#timer = setInterval(() => {
      if (!advance()) this.stop();
    }, frameMs);
    advance();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.isPlaying = false;
  }
}
