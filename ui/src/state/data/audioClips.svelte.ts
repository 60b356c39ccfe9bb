// SPDX-License-Identifier: Apache-2.0
import { clipAmong, type ClipPlace } from "../../core/series/audioClips";
import { fetchAudioClip, type AudioClip, type ValueKey } from "../../api/values";

/** Which clip each series of sounds plays, at whatever step; the first one until another is chosen. */
class AudioClips {
  #chosen = $state.raw<ReadonlyMap<string, number>>(new Map());

  of(value: ValueKey): number {
    return this.#chosen.get(seriesOf(value)) ?? 0;
  }

  choose(value: ValueKey, clip: number): void {
    this.#chosen = new Map(this.#chosen).set(seriesOf(value), clip);
  }

  restore(): void {
    this.#chosen = new Map();
  }
}

export const audioClips = new AudioClips();

/** What a clip of a value is; of a value with fewer clips, what its last one is. */
export interface ShownClip extends ClipPlace {
  value: ValueKey;
  sound: AudioClip;
}

export async function readClip(value: ValueKey, chosen: number, signal: AbortSignal): Promise<ShownClip> {
  const first = await fetchAudioClip(value, 0, signal);
  const clip = clipAmong(chosen, first.clips);
  const sound = clip === 0 ? first : await fetchAudioClip(value, clip, signal);
  return { value, sound, clip, clips: first.clips };
}

function seriesOf({ run, tag }: ValueKey): string {
  return JSON.stringify([run, tag]);
}
