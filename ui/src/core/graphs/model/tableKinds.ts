// SPDX-License-Identifier: Apache-2.0
/** Tables below a graph. Apart from the tables themselves, whose code only the page of graphs loads. */
export const TABLE_KINDS = ["scopes", "types", "layers"] as const;
export type TableKind = (typeof TABLE_KINDS)[number];
