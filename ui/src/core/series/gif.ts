// SPDX-License-Identifier: Apache-2.0
// Decodes animated GIFs frame by frame. An <img> plays a GIF but can't pause it, and ImageDecoder is not in every browser.
// Source: GIF89a specification.

/** One frame: where it is on the screen, and its compressed indices. */
export interface GifFrame {
  x: number;
  y: number;
  width: number;
  height: number;
  /** RGB of each color. */
  palette: Uint8Array;
  /** Index of the color that leaves pixels as they are; -1 for none. */
  transparent: number;
  /** What happens to the frame before the next one: 2 clears its area, 3 restores what it covered. */
  disposal: number;
  isInterlaced: boolean;
  /** 0 where the file says none. */
  durationMs: number;
  codeSize: number;
  data: Uint8Array;
}

export interface Gif {
  width: number;
  height: number;
  /** Frames that are there to their end. */
  frames: readonly GifFrame[];
}

const [EXTENSION, IMAGE, GRAPHIC_CONTROL] = [0x21, 0x2c, 0xf9];
/** Browsers play frames of at most 10 ms this slowly. */
const SLOW_MS = 100;
/** Larger screens take more memory than a page should. */
const MOST_PIXELS = 1 << 25;

/** Null for bytes that are no GIF, and for one that is too large to show. */
export function parseGif(bytes: Uint8Array): Gif | null {
  if (bytes.length < 13 || String.fromCharCode(...bytes.subarray(0, 4)) !== "GIF8") return null;
  const common = colorTable(bytes, 13, bytes[10]!);
  const [width, height] = [short(bytes, 6), short(bytes, 8)];
  if (width * height > MOST_PIXELS) return null;
  const frames: GifFrame[] = [];
  let control = { disposal: 0, durationMs: 0, transparent: -1 };
  let at = 13 + common.length;
  while (at < bytes.length) {
    if (bytes[at] === EXTENSION) {
      const { end } = subBlocks(bytes, at + 2);
      if (end < 0) break;
      if (bytes[at + 1] === GRAPHIC_CONTROL) control = controlOf(bytes, at);
      at = end;
    } else if (bytes[at] === IMAGE && at + 11 < bytes.length) {
      const flags = bytes[at + 9]!;
      const own = colorTable(bytes, at + 10, flags);
      const start = at + 10 + own.length;
      const { data, end } = subBlocks(bytes, start + 1);
      if (end < 0 || short(bytes, at + 5) * short(bytes, at + 7) > MOST_PIXELS) break;
      const place = { x: short(bytes, at + 1), y: short(bytes, at + 3), width: short(bytes, at + 5), height: short(bytes, at + 7) };
      const isInterlaced = (flags & 0x40) !== 0;
      frames.push({ ...place, ...control, isInterlaced, palette: own.length > 0 ? own : common, codeSize: bytes[start]!, data });
      control = { disposal: 0, durationMs: 0, transparent: -1 };
      at = end;
    } else break;
  }
  return { width, height, frames };
}

/** How long a frame is shown, as browsers do it. */
export function shownMs({ durationMs }: GifFrame): number {
  return durationMs <= 10 ? SLOW_MS : durationMs;
}

function short(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8);
}

function colorTable(bytes: Uint8Array, at: number, flags: number): Uint8Array {
  return flags & 0x80 ? bytes.subarray(at, at + (3 << ((flags & 7) + 1))) : bytes.subarray(at, at);
}

function controlOf(bytes: Uint8Array, at: number): { disposal: number; durationMs: number; transparent: number } {
  const flags = bytes[at + 3]!;
  return { disposal: (flags >> 2) & 7, durationMs: 10 * short(bytes, at + 4), transparent: flags & 1 ? bytes[at + 6]! : -1 };
}

/** The bytes of the sub-blocks from `at` on, and where these end; -1 where they break off. */
function subBlocks(bytes: Uint8Array, at: number): { data: Uint8Array; end: number } {
  const parts: Uint8Array[] = [];
  let size = 0;
  while (at < bytes.length) {
    const length = bytes[at]!;
    if (length === 0) return { data: joined(parts, size), end: at + 1 };
    parts.push(bytes.subarray(at + 1, at + 1 + length));
    size += length;
    at += 1 + length;
  }
  return { data: new Uint8Array(0), end: -1 };
}

function joined(parts: readonly Uint8Array[], size: number): Uint8Array {
  const data = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    data.set(part, at);
    at += part.length;
  }
  return data;
}

/** Decompresses the color indices of a frame (LZW with codes of 3 to 12 bits); what is missing stays 0. */
export function frameIndices({ width, height, codeSize, data }: GifFrame): Uint8Array {
  const indices = new Uint8Array(width * height);
  const [clear, end] = [1 << codeSize, (1 << codeSize) + 1];
  const [prefix, suffix, length] = [new Uint16Array(4096), new Uint8Array(4096), new Uint16Array(4096)];
  for (let code = 0; code < clear && code < 4096; code++) [suffix[code], length[code]] = [code, 1];
  let [bits, held, size, next, previous, at] = [0, 0, codeSize + 1, end + 1, -1, 0];
  for (const byte of data) {
    bits |= byte << held;
    held += 8;
    while (held >= size) {
      const code = bits & ((1 << size) - 1);
      bits >>>= size;
      held -= size;
      if (code === clear) {
        [size, next, previous] = [codeSize + 1, end + 1, -1];
        continue;
      }
      if (code === end || code > next || (code === next && previous < 0) || at >= indices.length) return indices;
      const isNew = code === next || (code > end && code >= next);
      const known = isNew ? previous : code;
      const count = length[known]! + (isNew ? 1 : 0);
      let place = at + length[known]! - 1;
      let from = known;
      for (let left = length[known]!; left > 0; left--, place--) {
        if (place < indices.length) indices[place] = suffix[from]!;
        from = prefix[from]!;
      }
      const first = indices[at]!;
      if (isNew && at + count - 1 < indices.length) indices[at + count - 1] = first;
      if (previous >= 0 && next < 4096) {
        [prefix[next], suffix[next], length[next]] = [previous, first, length[previous]! + 1];
        next++;
        if (next === 1 << size && size < 12) size++;
      }
      at += count;
      previous = code;
    }
  }
  return indices;
}

/** The screen of a GIF, RGBA, at any of its frames. Going forward costs a frame; going back begins at the last whole frame. */
export class GifScreen {
  readonly pixels: Uint8ClampedArray<ArrayBuffer>;
  readonly #gif: Gif;
  /** The frame that `pixels` shows; -1 before the first. */
  #shown = -1;
  /** What the shown frame covered, if it is to be restored. */
  #covered: Uint8ClampedArray | null = null;

  constructor(gif: Gif) {
    this.#gif = gif;
    this.pixels = new Uint8ClampedArray(4 * gif.width * gif.height);
  }

  show(frame: number): void {
    if (frame === this.#shown) return;
    const start = this.#startOf(frame);
    if (frame < this.#shown || start > this.#shown) this.#restart(start);
    while (this.#shown < frame) this.#advance();
  }

  /** The last frame up to `frame` that hides all before it. */
  #startOf(frame: number): number {
    for (let at = frame; at > 0; at--) if (this.#isWhole(this.#gif.frames[at]!)) return at;
    return 0;
  }

  #isWhole({ x, y, width, height, transparent }: GifFrame): boolean {
    return x === 0 && y === 0 && transparent < 0 && width >= this.#gif.width && height >= this.#gif.height;
  }

  #restart(start: number): void {
    this.pixels.fill(0);
    this.#covered = null;
    this.#shown = start - 1;
    if (start > 0) this.#paint(this.#gif.frames[++this.#shown]!);
  }

  #advance(): void {
    const previous = this.#gif.frames[this.#shown];
    if (previous && this.#covered) this.pixels.set(this.#covered);
    else if (previous?.disposal === 2) this.#clear(previous);
    this.#paint(this.#gif.frames[++this.#shown]!);
  }

  #clear({ x, y, width, height }: GifFrame): void {
    const right = Math.min(this.#gif.width, x + width);
    for (let row = y; row < Math.min(this.#gif.height, y + height); row++)
      this.pixels.fill(0, 4 * (row * this.#gif.width + x), 4 * (row * this.#gif.width + right));
  }

  #paint(frame: GifFrame): void {
    this.#covered = frame.disposal === 3 ? this.pixels.slice() : null;
    const indices = frameIndices(frame);
    const rows = frame.isInterlaced ? interlacedRows(frame.height) : null;
    for (let line = 0; line < frame.height; line++) {
      const row = frame.y + (rows ? rows[line]! : line);
      if (row >= this.#gif.height) continue;
      this.#paintLine(frame, indices.subarray(line * frame.width, (line + 1) * frame.width), row);
    }
  }

  #paintLine({ x, palette, transparent }: GifFrame, line: Uint8Array, row: number): void {
    const count = Math.min(line.length, this.#gif.width - x);
    let at = 4 * (row * this.#gif.width + x);
    for (let column = 0; column < count; column++, at += 4) {
      const color = line[column]!;
      if (color === transparent) continue;
      this.pixels[at] = palette[3 * color] ?? 0;
      this.pixels[at + 1] = palette[3 * color + 1] ?? 0;
      this.pixels[at + 2] = palette[3 * color + 2] ?? 0;
      this.pixels[at + 3] = 255;
    }
  }
}

/** The row of each line of an interlaced frame. */
function interlacedRows(height: number): number[] {
  const passes = [
    [0, 8],
    [4, 8],
    [2, 4],
    [1, 2],
  ] as const;
  return passes.flatMap(([first, step]) =>
    Array.from({ length: Math.max(0, Math.ceil((height - first) / step)) }, (_, n) => first + n * step),
  );
}
