// SPDX-License-Identifier: Apache-2.0
/** The run under the pointer, as an index into the cells of the columns, and where the pointer is in the window. */
export interface RunHover {
  row: number;
  clientX: number;
  clientY: number;
}
