// SPDX-License-Identifier: Apache-2.0
import type { Floats, Series } from "../core/series/series";
import type { components } from "./schema";

/*
 * application/vnd.mindscope.columns, little endian:
 *
 *   0        4               8
 *   | "MSC1" | header length | header: UTF-8 JSON, padded with spaces | columns, each padded to 8 bytes |
 */
const MAGIC = "MSC1";
const PREFIX_BYTES = 8;

type Header = components["schemas"]["CurvesHeader"];
type SeriesHeader = Header["series"][number];
type Column = components["schemas"]["Column"];

/** Views on the columns of every series; raises RangeError or SyntaxError for bytes that are not this format. */
export function decodeColumns(buffer: ArrayBuffer): Series[] {
  const { header, start } = readHeader<Header>(buffer);
  return header.series.map((series) => seriesFrom(series, buffer, start));
}

/** The JSON at the front, and the byte at which the columns begin. */
export function readHeader<Body>(buffer: ArrayBuffer): { header: Body; start: number } {
  const bytes = new Uint8Array(buffer);
  const magic = String.fromCharCode(...bytes.subarray(0, 4));
  if (magic !== MAGIC) throw new RangeError(`columns: first bytes are ${JSON.stringify(magic)}, want "${MAGIC}"`);
  const headerLength = new DataView(buffer).getUint32(4, true);
  const start = PREFIX_BYTES + headerLength;
  if (start > bytes.length) throw new RangeError(`columns: header ends at byte ${start} of ${bytes.length}`);
  return { header: JSON.parse(new TextDecoder().decode(bytes.subarray(PREFIX_BYTES, start))) as Body, start };
}

function seriesFrom(header: SeriesHeader, buffer: ArrayBuffer, start: number): Series {
  const { columns } = header;
  return {
    run: header.run,
    tag: header.tag,
    points: header.points,
    returned: header.returned,
    reduced: header.reduced,
    nan: header.nan,
    positiveInfinity: header.positive_infinity,
    negativeInfinity: header.negative_infinity,
    overwritten: header.overwritten,
    repeated: header.repeated,
    startWallTime: header.start_wall_time ?? 0,
    firstStep: header.first_step,
    version: header.version,
    cursor: header.cursor,
    kept: header.kept,
    error: header.error,
    x: null,
    step: columns ? float64(buffer, start, columns.step) : new Float64Array(0),
    wallTime: columns ? float64(buffer, start, columns.wall_time) : new Float64Array(0),
    value: columns ? floats(buffer, start, columns.value) : new Float32Array(0),
    smoothed: columns?.smoothed ? floats(buffer, start, columns.smoothed) : null,
    quantiles: columns ? floats(buffer, start, columns.quantiles) : new Float32Array(0),
  };
}

/** Float64 where the server says that float32 does not hold every value. */
export function floats(buffer: ArrayBuffer, start: number, column: Column): Floats {
  return column.dtype === "float64" ? float64(buffer, start, column) : float32(buffer, start, column);
}

/** A view where the column is aligned, as the format promises; a copy where it is not. */
export function float64(buffer: ArrayBuffer, start: number, { offset, length }: Column): Float64Array {
  const at = start + offset;
  return at % 8 === 0 ? new Float64Array(buffer, at, length) : new Float64Array(buffer.slice(at, at + 8 * length));
}

export function float32(buffer: ArrayBuffer, start: number, { offset, length }: Column): Float32Array {
  const at = start + offset;
  return at % 4 === 0 ? new Float32Array(buffer, at, length) : new Float32Array(buffer.slice(at, at + 4 * length));
}
