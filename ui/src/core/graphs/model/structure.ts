// SPDX-License-Identifier: Apache-2.0
import type { Message } from "../../messages/message";
/** What a node is; `unresolved` is a name that nodes take as input and that the file does not define. */
export const ROLE = { operation: 0, parameter: 1, constant: 2, input: 3, unresolved: 4 } as const;

/** Bits of `parts`. */
export const PART = { passThrough: 1, gradient: 2, optimizer: 4, fixed: 8 } as const;

/** Kinds of scopes: an operation with its bodies, one that repeats them, a body, and a body of which only one beside others runs. */
export const SCOPE_KIND = { module: 0, call: 1, loop: 2, body: 3, branch: 4 } as const;

/** A graph as columns, as the server sends it. Labels, types, dtypes, shapes and devices are indices of `texts`. */
export type GraphStructure = Omit<Message<"StructureHeader">, "name">;
