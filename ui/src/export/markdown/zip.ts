// SPDX-License-Identifier: Apache-2.0
export interface ZippedFile {
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
}

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

/** Names are UTF-8. */
const UTF8 = 0x0800;
/** 1980-01-01, the first date of the format: files of equal content are equal. */
const DATE = 0x21;

/** Files in one ZIP archive, stored as they are: pictures are compressed already. */
export function zipOf(files: readonly ZippedFile[]): Blob {
  const [parts, directory]: [Uint8Array<ArrayBuffer>[], Uint8Array<ArrayBuffer>[]] = [[], []];
  let offset = 0;
  for (const { name, bytes } of files) {
    const letters = new TextEncoder().encode(name);
    const facts = [20, UTF8, 0, 0, DATE] as const;
    const sizes = [crc32(bytes), bytes.length, bytes.length] as const;
    const local = [...header(0x04034b50, facts, sizes), ...shorts(letters.length, 0)];
    parts.push(Uint8Array.from([...local, ...letters]), bytes);
    directory.push(
      Uint8Array.from([
        ...header(0x02014b50, [20, ...facts], sizes),
        ...shorts(letters.length, 0, 0, 0, 0),
        ...longs(0, offset),
        ...letters,
      ]),
    );
    offset += local.length + letters.length + bytes.length;
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  const end = Uint8Array.from([...longs(0x06054b50), ...shorts(0, 0, files.length, files.length), ...longs(size, offset), ...shorts(0)]);
  return new Blob([...parts, ...directory, end], { type: "application/zip" });
}

function header(sign: number, facts: readonly number[], sizes: readonly number[]): number[] {
  return [...longs(sign), ...shorts(...facts), ...longs(...sizes)];
}

function shorts(...values: number[]): number[] {
  return values.flatMap((value) => [value & 255, (value >>> 8) & 255]);
}

function longs(...values: number[]): number[] {
  return values.flatMap((value) => shorts(value & 0xffff, value >>> 16));
}

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = TABLE[(crc ^ byte) & 255]! ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}
