// SPDX-License-Identifier: Apache-2.0
import { fetchImage, imageAddress } from "../../api/routes";
import { onChanges } from "../requests/runChanges";
import { problemOf, type Problem } from "../requests/problem";
import { noRuns, readOnce, type ResourceDefinition } from "../requests/resourceCache";

/** One picture of one value of a log. */
export interface ImageKey {
  run: string;
  tag: string;
  /** The value's, for good. */
  id: string;
  /** Number of the picture in the value. */
  picture: number;
  step: number;
}

/** A picture that is here, decoded: it can be put on the page without a moment of nothing. */
export interface LoadedImage {
  key: ImageKey;
  image: HTMLImageElement;
}

/** By address. */
const imageBytes: ResourceDefinition<string, Blob> = {
  kind: "image bytes",
  read: fetchImage,
  runs: noRuns,
  bytes: (blob) => blob.size,
};

/** Decoded pictures that a card keeps: a hand on a slider goes back and forth. */
const MOST_KEPT = 32;

/**
 * The image of a series at a step that the user moves, maybe faster than images arrive. Until the wanted one is here
 * the nearest step that is here is shown, never one farther away than what was shown before.
 *
 * At most two requests are under way: the oldest, so that a slow server shows something while a slider moves, and that of
 * the wanted picture. What comes next in the direction of the last move is fetched when nothing else is to do.
 */
export class SteppedImage {
  shown = $state.raw<LoadedImage | null>(null);
  /** Why the wanted picture can't be read. */
  problem = $state.raw<Problem | null>(null);
  /** The wanted picture was read, but the browser can't decode it. */
  isBroken = $state(false);
  #wanted: ImageKey | null = null;
  #next: ImageKey | null = null;
  /** By address, the one that arrived last at the end. */
  readonly #kept = new Map<string, LoadedImage>();
  /** Requests under way by address, the oldest first. */
  readonly #requests = new Map<string, AbortController>();
  readonly #stop: () => void;

  constructor() {
    this.#stop = onChanges(() => {
      if (this.problem && this.#wanted) void this.#load(this.#wanted);
    });
  }

  /** Shows an image, or the nearest loaded one until it has arrived. `before` and `after` are its neighbors, or null. */
  want(key: ImageKey, before: ImageKey | null, after: ImageKey | null): void {
    const last = this.#wanted;
    const isSameSeries = last !== null && seriesOf(last) === seriesOf(key);
    if (!isSameSeries) this.#forget();
    else if (last.step !== key.step) this.#next = key.step > last.step ? after : before;
    this.#wanted = key;
    if (last && addressOf(key) === addressOf(last)) return;
    this.problem = null;
    this.isBroken = false;
    this.#showNearest();
    this.#abortBetween();
    if (this.#isHere()) this.#prefetch();
    else void this.#load(key);
  }

  release(): void {
    this.#stop();
    this.#wanted = null;
    this.#forget();
  }

  #forget(): void {
    for (const request of this.#requests.values()) request.abort();
    this.#requests.clear();
    this.#kept.clear();
    this.#next = null;
    this.shown = null;
  }

  #isHere(): boolean {
    return this.shown !== null && this.shown.key.id === this.#wanted?.id;
  }

  async #load(key: ImageKey): Promise<void> {
    const address = addressOf(key);
    if (this.#requests.has(address)) return;
    const request = new AbortController();
    this.#requests.set(address, request);
    const isStill = (): boolean => this.#requests.get(address) === request;
    try {
      const blob = await readImageOf(key, request.signal);
      const image = await decoded(blob);
      if (isStill()) this.#arrived(address, { key, image });
    } catch (error) {
      if (!isStill()) return;
      this.#requests.delete(address);
      if (this.#wanted && addressOf(this.#wanted) === address) this.#failed(error);
    }
  }

  #arrived(address: string, picture: LoadedImage): void {
    this.#requests.delete(address);
    this.#kept.set(address, picture);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MOST_KEPT) break;
      this.#kept.delete(oldest);
    }
    if (this.#wanted && addressOf(this.#wanted) === address) this.problem = null;
    this.#showNearest();
    this.#prefetch();
  }

  #failed(error: unknown): void {
    if (error instanceof DOMException) this.isBroken = true;
    else this.problem = problemOf(error);
  }

  #showNearest(): void {
    const wanted = this.#wanted;
    if (!wanted) return;
    const exact = this.#kept.get(addressOf(wanted));
    let nearest = exact ?? this.shown;
    for (const picture of exact ? [] : this.#kept.values()) {
      if (!nearest || distance(picture.key, wanted) < distance(nearest.key, wanted)) nearest = picture;
    }
    if (nearest !== this.shown) this.shown = nearest;
  }

  #abortBetween(): void {
    const wanted = this.#wanted ? addressOf(this.#wanted) : "";
    for (const [address, request] of [...this.#requests].slice(1)) {
      if (address === wanted) continue;
      this.#requests.delete(address);
      request.abort();
    }
  }

  #prefetch(): void {
    const next = this.#next;
    if (next && this.#isHere() && this.#requests.size === 0 && !this.#kept.has(addressOf(next))) void this.#load(next);
  }
}

/** Raises DOMException for bytes that the browser can't decode. */
async function decoded(blob: Blob): Promise<HTMLImageElement> {
  const image = new Image();
  image.draggable = false;
  const source = URL.createObjectURL(blob);
  image.src = source;
  try {
    await image.decode();
    return image;
  } finally {
    URL.revokeObjectURL(source);
  }
}

/** The bytes of a picture, from memory where they are. Raises ApiError. */
export function readImageOf(key: ImageKey, signal: AbortSignal): Promise<Blob> {
  return readOnce(imageBytes, addressOf(key), signal);
}

function addressOf(key: ImageKey): string {
  return imageAddress(key, key.id, key.picture);
}

function seriesOf({ run, tag, picture }: ImageKey): string {
  return JSON.stringify([run, tag, picture]);
}

function distance(one: ImageKey, other: ImageKey): number {
  return Math.abs(one.step - other.step);
}
