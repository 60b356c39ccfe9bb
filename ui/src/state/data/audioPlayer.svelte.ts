// SPDX-License-Identifier: Apache-2.0
/** Plays one sound. Only one of all plays at a time. */
export class AudioPlayer {
  isPlaying = $state(false);
  /** Seconds from the begin. */
  place = $state(0);
  duration = $state(0);
  failure = $state("");
  readonly #audio = new Audio();
  #address = "";
  #frame = 0;

  constructor() {
    this.#audio.addEventListener("loadedmetadata", () => (this.duration = this.#audio.duration));
    this.#audio.addEventListener("ended", () => this.pause());
    this.#audio.addEventListener("error", () => (this.failure = this.#audio.error?.message ?? "error"));
  }

  load(sound: Blob): void {
    this.release();
    this.#address = URL.createObjectURL(sound);
    this.#audio.src = this.#address;
    this.place = 0;
    this.failure = "";
  }

  toggle(): void {
    if (this.isPlaying) {
      this.pause();
      return;
    }
    silenceOthers(this);
    this.isPlaying = true;
    void this.#audio.play().catch((error: unknown) => {
      // A sound that is stopped before it began is no failure.
      if (error instanceof Error && error.name === "AbortError") return;
      this.failure = error instanceof Error ? error.message : String(error);
      this.pause();
    });
    this.#follow();
  }

  pause(): void {
    this.#audio.pause();
    cancelAnimationFrame(this.#frame);
    this.isPlaying = false;
    this.place = this.#audio.currentTime;
  }

  seek(seconds: number): void {
    this.#audio.currentTime = Math.max(0, Math.min(this.duration, seconds));
    this.place = this.#audio.currentTime;
  }

  release(): void {
    if (this.#address === "") return;
    this.pause();
    this.#audio.removeAttribute("src");
    URL.revokeObjectURL(this.#address);
    this.#address = "";
  }

  #follow(): void {
    this.place = this.#audio.currentTime;
    this.#frame = requestAnimationFrame(() => this.#follow());
  }
}

let playing: AudioPlayer | null = null;

function silenceOthers(player: AudioPlayer): void {
  playing?.pause();
  playing = player;
}

/** The samples of the first channel; raises what the browser raises for bytes that it can't decode. */
export async function decodeSamples(sound: Blob, sampleRate: number): Promise<Float32Array> {
  const rate = Math.min(96_000, Math.max(8_000, sampleRate || 44_100));
  const context = new OfflineAudioContext(1, 1, rate);
  const decoded = await context.decodeAudioData(await sound.arrayBuffer());
  return decoded.getChannelData(0);
}
