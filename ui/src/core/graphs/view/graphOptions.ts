// SPDX-License-Identifier: Apache-2.0
import { DEFAULT_FLOW_OPTIONS, type FlowOptions } from "../model/flows";

/** What a reader chooses about the whole picture. */
export interface GraphOptions extends FlowOptions {
  /** Siblings with the same structure become a stack from this number on; Infinity for never. */
  stackFrom: number;
  /** A scope with a single operation is the box of this operation. */
  joinsSingle: boolean;
}

export const DEFAULT_GRAPH_OPTIONS: GraphOptions = { ...DEFAULT_FLOW_OPTIONS, stackFrom: 3, joinsSingle: true };
