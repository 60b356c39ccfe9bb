// SPDX-License-Identifier: Apache-2.0
/** What a node is; `unresolved` is a name that nodes take as input and that the file does not define. */
export const ROLE = { operation: 0, parameter: 1, constant: 2, input: 3, unresolved: 4 } as const;

/** Bits of `parts`. */
export const PART = { passThrough: 1, gradient: 2, optimizer: 4 } as const;

/** A graph as columns, as the server sends it. Labels, types, dtypes, shapes and devices are indices of `texts`. */
export interface GraphStructure {
  texts: readonly string[];
  /** Nodes in file order: name without scope, operation type, dtype and shape of the output, device. */
  label: Int32Array;
  type: Int32Array;
  dtype: Int32Array;
  shape: Int32Array;
  device: Int32Array;
  /** Index of the scope of a node; 0 is the root. */
  scope: Int32Array;
  role: Uint8Array;
  parts: Uint8Array;
  /** Bytes of the output; NaN when unknown. */
  bytes: Float64Array;
  /** Elements of a parameter; NaN when unknown. */
  parameterCount: Float64Array;
  flops: Float64Array;
  /** Scopes: a parent precedes its children, the root is first and has the parent -1. */
  scopeLabel: Int32Array;
  scopeParent: Int32Array;
  /** Scopes with the same number have the same structure; 0 when not compared. */
  scopeClass: Uint32Array;
  /** Edges, by node index. */
  source: Int32Array;
  target: Int32Array;
  isControl: Uint8Array;
  /** Which output of the source an edge carries. */
  output: Int32Array;
}
