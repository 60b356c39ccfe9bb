// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { decodeStructure } from "./graphs";

const COLUMNS = {
  label: Int32Array.of(1),
  type: Int32Array.of(2),
  dtype: Int32Array.of(0),
  shape: Int32Array.of(0),
  device: Int32Array.of(0),
  scope: Int32Array.of(0),
  role: Uint8Array.of(1),
  parts: Uint8Array.of(2),
  bytes: Float64Array.of(Number.NaN),
  parameter_count: Float64Array.of(6),
  flops: Float64Array.of(0),
  scope_label: Int32Array.of(0),
  scope_parent: Int32Array.of(-1),
  scope_class: Uint32Array.of(0),
  source: Int32Array.of(0),
  target: Int32Array.of(0),
  is_control: Uint8Array.of(1),
  output: Int32Array.of(3),
};
type NumberArray = Int32Array | Uint32Array | Uint16Array | Uint8Array | Float32Array | Float64Array;
const DTYPES = new Map<object, string>([
  [Uint16Array, "uint16"],
  [Float32Array, "float32"],
  [Int32Array, "int32"],
  [Uint32Array, "uint32"],
  [Uint8Array, "uint8"],
  [Float64Array, "float64"],
]);

/** A structure as the server sends it, with these texts and other columns; `constant` has the lengths of constant columns. */
function message(texts: readonly string[], others: Record<string, NumberArray> = {}, constant: Record<string, number> = {}): ArrayBuffer {
  const encoded = texts.map((text) => new TextEncoder().encode(text));
  let end = 0;
  const all = {
    ...COLUMNS,
    ...others,
    text: Uint8Array.from(encoded.flatMap((bytes) => [...bytes])),
    text_end: Uint32Array.from(encoded, (bytes) => (end += bytes.length)),
  };
  let offset = 0;
  const columns = Object.fromEntries(
    Object.entries(all).map(([name, column]) => {
      const place = {
        dtype: DTYPES.get(column.constructor),
        length: constant[name] ?? column.length,
        offset,
        is_constant: name in constant,
      };
      offset += Math.ceil(column.byteLength / 8) * 8;
      return [name, place];
    }),
  );
  const json = JSON.stringify({ name: "net", columns });
  const header = new TextEncoder().encode(json.padEnd(Math.ceil(json.length / 8) * 8));
  const bytes = new Uint8Array(8 + header.length + offset);
  bytes.set(new TextEncoder().encode("MSC1"));
  new DataView(bytes.buffer).setUint32(4, header.length, true);
  bytes.set(header, 8);
  for (const [name, column] of Object.entries(all)) bytes.set(new Uint8Array(column.buffer), 8 + header.length + columns[name]!.offset);
  return bytes.buffer;
}

describe("the structure of a graph", () => {
  it.each([[["", "conv", "Conv2D"]], [["", "卷积 “1”", "Conv2D"]]])("has the texts %j", (texts) => {
    const structure = decodeStructure(message(texts));
    expect(structure.texts).toEqual(texts);
    expect([structure.texts[structure.label[0]!], structure.texts[structure.type[0]!]]).toEqual(texts.slice(1));
  });

  it("has the columns of the server", () => {
    const { role, parts, bytes, parameterCount, scopeParent, isControl, output } = decodeStructure(message([""]));
    expect([role[0], parts[0], bytes[0], parameterCount[0], scopeParent[0], isControl[0], output[0]]).toEqual([1, 2, NaN, 6, -1, 1, 3]);
  });

  it("has columns in smaller types, and one number for all nodes", () => {
    const others = {
      label: Uint16Array.of(1, 0, 1),
      flops: Float32Array.of(2.5, NaN, 3),
      bytes: Float32Array.of(NaN),
      role: Uint8Array.of(4),
    };
    const { label, flops, bytes, role } = decodeStructure(message(["", "conv"], others, { bytes: 3, role: 3 }));
    expect([label, flops]).toEqual([Int32Array.of(1, 0, 1), Float64Array.of(2.5, NaN, 3)]);
    expect([bytes, role]).toEqual([Float64Array.of(NaN, NaN, NaN), Uint8Array.of(4, 4, 4)]);
  });

  it("is refused with the dtype that is unknown", () => {
    const bytes = new Uint8Array(message([""]));
    const text = new TextDecoder("latin1").decode(bytes).replace('"int32"', '"int3x"');
    expect(() => decodeStructure(Uint8Array.from(text, (letter) => letter.charCodeAt(0)).buffer)).toThrow(/int3x/);
  });
});
