// SPDX-License-Identifier: Apache-2.0
import type { Arrays, Flat, Message, Schemas } from "../core/messages/message";

/*
 * application/vnd.mindscope.columns, little endian:
 *
 *   0        4               8
 *   | "MSC1" | header length | header: UTF-8 JSON, padded with spaces | columns, each padded to 8 bytes |
 */
const MAGIC = "MSC1";
const PREFIX_BYTES = 8;

const ARRAYS = {
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  int32: Int32Array,
  float32: Float32Array,
  float64: Float64Array,
} as const;

type NumberArray = Arrays[keyof Arrays];
type Column = Schemas["Float64Column"] | Schemas["CompactFloat64Column"];

/** The message of a response. */
export async function message<Name extends keyof Schemas>(response: Promise<Response>): Promise<Message<Name>> {
  return decode<Name>(await (await response).arrayBuffer());
}

export function flattened<Series extends { columns: object | null }>({ columns, ...facts }: Series): Flat<Series> {
  return { ...facts, ...columns } as Flat<Series>;
}

/**
 * A message with arrays in place of the columns of its header: views on the bytes, copies where a column is compact. Raises RangeError
 * or SyntaxError for bytes that are not this format.
 */
export function decode<Name extends keyof Schemas>(buffer: ArrayBuffer): Message<Name> {
  const bytes = new Uint8Array(buffer);
  const magic = String.fromCharCode(...bytes.subarray(0, 4));
  if (magic !== MAGIC) throw new RangeError(`columns: first bytes are ${JSON.stringify(magic)}, want "${MAGIC}"`);
  const start = PREFIX_BYTES + new DataView(buffer).getUint32(4, true);
  if (start > bytes.length) throw new RangeError(`columns: header ends at byte ${start} of ${bytes.length}`);
  const header: unknown = JSON.parse(new TextDecoder().decode(bytes.subarray(PREFIX_BYTES, start)));
  return withArrays(header, buffer, start) as Message<Name>;
}

/** A part of a header with arrays in place of its columns. */
function withArrays(value: unknown, buffer: ArrayBuffer, start: number): unknown {
  if (typeof value !== "object" || value === null || (Array.isArray(value) && typeof value[0] !== "object")) return value;
  if ("offset" in value && "dtype" in value && typeof value.dtype === "string") return arrayOf(value as Column, buffer, start);
  const part = value as Record<string, unknown>;
  for (const [name, field] of Object.entries(part)) if (typeof field === "object") part[name] = withArrays(field, buffer, start);
  const { utf8, ends } = part;
  return utf8 instanceof Uint8Array && ends instanceof Uint32Array ? textsOf(utf8, ends) : part;
}

function arrayOf(column: Column, buffer: ArrayBuffer, start: number): NumberArray {
  if (!("value_type" in column)) return viewOf(column, buffer, start);
  const { value_type, is_constant, length } = column;
  const stored = viewOf(is_constant ? { ...column, length: 1 } : column, buffer, start);
  if (is_constant) return new ARRAYS[value_type](length).fill(stored[0]!);
  return column.dtype === value_type ? stored : new ARRAYS[value_type](stored);
}

function viewOf({ dtype, offset, length }: Omit<Column, "value_type">, buffer: ArrayBuffer, start: number): NumberArray {
  const Type = ARRAYS[dtype as keyof Arrays];
  if (!Type) throw new RangeError(`columns: unknown dtype ${JSON.stringify(dtype)}`);
  return new Type(buffer, start + offset, length);
}

function textsOf(utf8: Uint8Array, ends: Uint32Array): string[] {
  const decoder = new TextDecoder();
  const whole = decoder.decode(utf8);
  // Where every letter is one byte, texts are parts of one string.
  const isPlain = whole.length === utf8.length;
  return Array.from(ends, (end, index) => {
    const start = index === 0 ? 0 : ends[index - 1]!;
    return isPlain ? whole.slice(start, end) : decoder.decode(utf8.subarray(start, end));
  });
}
