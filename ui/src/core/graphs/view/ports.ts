// SPDX-License-Identifier: Apache-2.0
import type { ScopeContent, ScopeFlows } from "../model/scopeFlows";
import { childAt, positionOf } from "../model/scopeTree";

/** Ports on one side of a scope; the flows of further neighbors share the last port. */
const MOST_PORTS = 16;
/** Neighbor of the port of all further neighbors. */
export const OTHERS = -1;

/** Places on the border of an open scope where edges from outside enter and leave: the input ports, then the output ports. */
export interface Ports {
  inputs: number;
  outputs: number;
  /** The box outside, in the lowest scope that contains both ends; OTHERS for a port of many. */
  neighbor: Int32Array;
  isControl: Uint8Array;
  /** Port of each flow over the border. */
  portOf: Int32Array;
}

/** `boxItem` gives the item that represents an item in the picture, the first of its stack. */
export function findPorts(scopeFlows: ScopeFlows, content: ScopeContent, boxItem: (item: number) => number): Ports {
  const portOf = new Int32Array(content.border.length);
  const keyOf = (flow: number, isLeaving: boolean): number =>
    boxItem(outsideItem(scopeFlows, flow, isLeaving)) * 2 + scopeFlows.flows.isControl[flow]!;
  const inputs = findSide(content, 0, 0, keyOf, portOf);
  const keys = [...inputs, ...findSide(content, 1, inputs.length, keyOf, portOf)];
  return {
    inputs: inputs.length,
    outputs: keys.length - inputs.length,
    neighbor: Int32Array.from(keys, (key) => key >> 1),
    isControl: Uint8Array.from(keys, (key) => key & 1),
    portOf,
  };
}

/** Keys of the ports of one side, twice the neighbor plus 1 for control; writes the port of each flow of the side. */
function findSide(
  content: ScopeContent,
  side: number,
  firstPort: number,
  keyOf: (flow: number, isLeaving: boolean) => number,
  portOf: Int32Array,
): number[] {
  const ports = new Map<number, number>();
  const keys: number[] = [];
  for (let slot = 0; slot < content.border.length; slot++) {
    if (content.isLeaving[slot] !== side) continue;
    const key = keyOf(content.border[slot]!, side === 1);
    const port = ports.get(key) ?? Math.min(keys.length, MOST_PORTS - 1);
    if (!ports.has(key)) keys[port] = port === keys.length ? key : OTHERS * 2;
    ports.set(key, port);
    portOf[slot] = firstPort + port;
  }
  return keys;
}

/** The child of the lowest common scope that contains the end of a flow outside of the scope. */
function outsideItem({ tree, flows, common }: ScopeFlows, flow: number, isLeaving: boolean): number {
  const outside = isLeaving ? flows.target[flow]! : flows.source[flow]!;
  const scope = common[flow]!;
  return tree.children.members[tree.children.start[scope]! + childAt(tree, scope, positionOf(tree, outside))]!;
}
