// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { Arrays } from "../core/messages/message";
import { decode } from "./decode";

type NumberArray = Arrays[keyof Arrays];

const nameOf = (array: NumberArray): string => array.constructor.name.replace("Array", "").toLowerCase();

/** The message of a header that has arrays in place of columns, as the drawing in decode.ts says. */
function encode(header: unknown): ArrayBuffer {
  const columns: Uint8Array[] = [];
  let offset = 0;
  const json = JSON.stringify(header, (_, value: unknown) => {
    if (!ArrayBuffer.isView(value)) return value;
    const array = value as NumberArray;
    const padded = new Uint8Array(Math.ceil(array.byteLength / 8) * 8);
    padded.set(new Uint8Array(array.buffer));
    columns.push(padded);
    offset += padded.length;
    return { dtype: nameOf(array), offset: offset - padded.length, length: array.length };
  });
  return bytesOf(json, columns);
}

function bytesOf(json: string, columns: readonly Uint8Array[] = []): ArrayBuffer {
  const text = new TextEncoder().encode(json);
  const header = new Uint8Array(Math.ceil((8 + text.length) / 8) * 8).fill(0x20);
  header.set(new TextEncoder().encode("MSC1"));
  new DataView(header.buffer).setUint32(4, header.length - 8, true);
  header.set(text, 8);
  return Uint8Array.from([header, ...columns].flatMap((part) => [...part])).buffer;
}

/** Any header is decoded; the name of a schema is only its type. */
const decoded = (header: unknown): unknown => decode(encode(header));

const arrays = fc.oneof(
  ...[fc.uint8Array(), fc.uint16Array(), fc.uint32Array(), fc.int32Array(), fc.float32Array(), fc.float64Array()],
) as fc.Arbitrary<NumberArray>;
const plain = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.array(fc.string()), fc.array(fc.integer()));
const headers = fc.dictionary(
  fc.string(),
  fc.oneof(plain, arrays, fc.array(arrays), fc.array(fc.record({ name: fc.string(), values: fc.option(arrays) }))),
);

describe("decode", () => {
  it("gives every value back, with arrays wherever a header has columns", () => {
    fc.assert(
      fc.property(headers, (header) => {
        expect(decoded(header)).toEqual(Object.fromEntries(Object.entries(header)));
      }),
    );
  });

  it("lays arrays over the bytes without a copy", () => {
    const buffer = encode({ step: Float64Array.of(1, 2) });
    const { step } = decode(buffer) as unknown as { step: Float64Array };
    expect(step.buffer).toBe(buffer);
  });

  it("takes columns whose names are those of a column's fields", () => {
    const header = {
      counters: { dtype: Float64Array.of(1), offset: Float64Array.of(2), utf8: Float64Array.of(3), ends: Float64Array.of(4) },
    };
    expect(decoded(header)).toEqual(header);
  });

  it("reads compact columns in the type of their values, and one number for all rows", () => {
    const of = { offset: 0, value_type: "int32" };
    const json = JSON.stringify({
      label: { ...of, dtype: "uint8", length: 3, is_constant: false },
      scope: { ...of, dtype: "uint8", length: 4, is_constant: true },
      flops: { ...of, dtype: "uint8", length: 2, is_constant: false, value_type: "float64" },
    });
    expect(decode(bytesOf(json, [Uint8Array.of(7, 0, 255, 0, 0, 0, 0, 0)]))).toEqual({
      label: Int32Array.of(7, 0, 255),
      scope: Int32Array.of(7, 7, 7, 7),
      flops: Float64Array.of(7, 0),
    });
  });

  it.each([[["", "conv", "Conv2D"]], [["", "卷积 “1”", "a"]], [[]]])("has the texts %j", (texts) => {
    const encoded = texts.map((text) => new TextEncoder().encode(text));
    let end = 0;
    const ends = Uint32Array.from(encoded, (bytes) => (end += bytes.length));
    expect(decoded({ texts: { utf8: Uint8Array.from(encoded.flatMap((bytes) => [...bytes])), ends } })).toEqual({ texts });
  });

  it("refuses other bytes, a header that is cut off, columns beyond the end and unknown types", () => {
    expect(() => decode(new TextEncoder().encode("<!doctype html>").buffer)).toThrow(/first bytes/);
    expect(() => decode(new Uint8Array([0x4d, 0x53, 0x43, 0x31, 200, 0, 0, 0]).buffer)).toThrow(/header ends/);
    expect(() => decode(bytesOf('{"x":{"dtype":"float64","offset":0,"length":2}}', [new Uint8Array(8)]))).toThrow(RangeError);
    expect(() => decode(bytesOf('{"x":{"dtype":"int3x","offset":0,"length":0}}'))).toThrow(/int3x/);
  });
});
