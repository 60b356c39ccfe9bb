// SPDX-License-Identifier: Apache-2.0
import type { components } from "./schema";

export type Schemas = components["schemas"];

/** The types of columns by their names in the header. */
export interface Arrays {
  uint8: Uint8Array;
  uint16: Uint16Array;
  uint32: Uint32Array;
  int32: Int32Array;
  float32: Float32Array;
  float64: Float64Array;
}

/** A message whose columns are arrays. */
export type WithArrays<T> = T extends { value_type: infer Name extends keyof Arrays; offset: number }
  ? Arrays[Name]
  : T extends { dtype: infer Name extends keyof Arrays; offset: number }
    ? Arrays[Name]
    : T extends { utf8: object; ends: object }
      ? string[]
      : T extends object
        ? { [Field in keyof T]: WithArrays<T[Field]> }
        : T;

/** A series of a message with its columns beside its facts. After an error it has no columns. */
export type Flat<Series extends { columns: object | null }> = Omit<Series, "columns"> & NonNullable<Series["columns"]>;

/** A message of the server with columns, by the name of its schema, with the names of the server. */
export type Message<Name extends keyof Schemas> = WithArrays<Schemas[Name]>;
