// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { decodeColumns } from "./columns";

interface Rows {
  run: string;
  step: number[];
  value: number[];
  smoothed: number[] | null;
}

const rows: fc.Arbitrary<Rows> = fc.nat(9).chain((length) => {
  const floats = fc.array(fc.float(), { minLength: length, maxLength: length });
  return fc.record({
    run: fc.string(),
    step: fc.array(fc.integer(), { minLength: length, maxLength: length }),
    value: floats,
    smoothed: fc.option(floats),
  });
});

/** Writes the format as its drawing in columns.ts says. */
function encode(all: readonly Rows[], isWide = false): ArrayBuffer {
  const columns: Uint8Array[] = [];
  let offset = 0;
  function place(array: Float64Array | Float32Array): { dtype: string; offset: number; length: number } {
    const padded = new Uint8Array(Math.ceil(array.byteLength / 8) * 8);
    padded.set(new Uint8Array(array.buffer));
    columns.push(padded);
    offset += padded.length;
    return { dtype: array instanceof Float64Array ? "float64" : "float32", offset: offset - padded.length, length: array.length };
  }
  const series = all.map(({ run, step, value, smoothed }) => ({
    run,
    tag: "loss",
    points: step.length,
    returned: step.length,
    error: null,
    columns: {
      step: place(Float64Array.from(step)),
      wall_time: place(Float64Array.from(step)),
      value: place(isWide ? Float64Array.from(value) : Float32Array.from(value)),
      smoothed: smoothed && place(Float32Array.from(smoothed)),
      quantiles: place(Float32Array.from(value)),
    },
  }));
  const json = new TextEncoder().encode(JSON.stringify({ series }));
  const header = new Uint8Array(Math.ceil((8 + json.length) / 8) * 8).fill(0x20);
  header.set(new TextEncoder().encode("MSC1"));
  new DataView(header.buffer).setUint32(4, header.length - 8, true);
  header.set(json, 8);
  const bytes = new Uint8Array(header.length + offset);
  bytes.set(header);
  let at = header.length;
  for (const column of columns) {
    bytes.set(column, at);
    at += column.length;
  }
  return bytes.buffer;
}

describe("decodeColumns", () => {
  it("gives every value back, bit for bit", () => {
    fc.assert(
      fc.property(fc.array(rows, { maxLength: 4 }), (all) => {
        const got = decodeColumns(encode(all));
        expect(got.map(({ run }) => run)).toEqual(all.map(({ run }) => run));
        got.forEach((series, index) => {
          expect([...series.step]).toEqual([...Float64Array.from(all[index]!.step)]);
          expect([...series.value]).toEqual([...Float32Array.from(all[index]!.value)]);
          const { smoothed } = all[index]!;
          expect(series.smoothed && [...series.smoothed]).toEqual(smoothed && [...Float32Array.from(smoothed)]);
        });
      }),
    );
  });

  it("reads float64 values where the header says so", () => {
    const value = [1e300, 2 ** 24 + 1, -1e-300, NaN];
    const [series] = decodeColumns(encode([{ run: "a", step: [1, 2, 3, 4], value, smoothed: null }], true));
    expect([...series!.value]).toEqual(value);
  });

  it("has no rows for a series that is told as an error", () => {
    const json = `{"series":[{"run":"a","tag":"t","error":"unknown tag","columns":null}]}`.padEnd(72);
    const bytes = new TextEncoder().encode(`MSC1\u0048\0\0\0${json}`);
    const [series] = decodeColumns(bytes.buffer);
    expect(series).toMatchObject({ error: "unknown tag", step: new Float64Array(0), smoothed: null });
  });

  it("refuses other bytes and a header that is cut off", () => {
    expect(() => decodeColumns(new TextEncoder().encode("<!doctype html>").buffer)).toThrow(/first bytes/);
    expect(() => decodeColumns(new Uint8Array([0x4d, 0x53, 0x43, 0x31, 200, 0, 0, 0]).buffer)).toThrow(/header ends/);
  });
});
