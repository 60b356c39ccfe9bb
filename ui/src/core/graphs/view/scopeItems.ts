// SPDX-License-Identifier: Apache-2.0
import { membersOf } from "../arrays/groups";
import type { LayoutInput } from "../layout/layoutInput";
import type { ScopeContent, ScopeFlows } from "../model/scopeFlows";
import { boxTitle } from "../model/scopeTree";
import { BOX, boxWidth, nodeHeight } from "./boxSize";
import { bundleFlows, type Bundles } from "./bundles";
import type { GraphOptions } from "./graphOptions";
import { leafRows } from "./leafRows";
import { findPorts, type Ports } from "./ports";
import { findStacks } from "./stacks";

/** What an open scope shows: boxes in execution order, ports, and bundled edges between them. */
export interface ScopeItems {
  scope: number;
  /** Item of each box; for a folded stack its first member. */
  item: Int32Array;
  /** Members of a folded stack; 1 for every other box. */
  stackSize: Int32Array;
  /** Name of the stack of a box, folded or not: a member of it, or of the stack that repeats with it; -1 outside of stacks. */
  stack: Int32Array;
  /** Box of each child of the scope, by ordinal; -1 for a child that is not drawn. */
  boxOfChild: Int32Array;
  /** Parameters and constants that a box lists as rows. */
  rows: Uint16Array;
  ports: Ports;
  /** Edges by vertex: the boxes, then the ports. */
  bundles: Bundles;
  input: LayoutInput;
}

/** What a vertex represents: the item of a box, or what a port leads to. */
export const vertexItem = ({ item, ports }: ScopeItems, vertex: number): number =>
  vertex < item.length ? item[vertex]! : ports.neighbor[vertex - item.length]!;

interface ScopeBoxes {
  item: Int32Array;
  stackSize: Int32Array;
  stack: Int32Array;
  boxOfChild: Int32Array;
}

export interface ItemSource {
  scopeFlows: ScopeFlows;
  options: GraphOptions;
  isDrawn: (item: number) => boolean;
  /** The only operation of a scope, as `soleNodes` finds it. */
  sole: Int32Array;
  boxItem: (item: number) => number;
}

/** `unfolded` holds the names of the stacks that show their members. */
export function scopeItems(source: ItemSource, scope: number, unfolded: ReadonlySet<number>): ScopeItems {
  const content = source.scopeFlows.content(scope);
  const boxes = findBoxes(source, content, unfolded);
  const ports = findPorts(source.scopeFlows, content, (item) =>
    source.scopeFlows.tree.parent[item] === scope ? item : source.boxItem(item),
  );
  const bundles = bundleScope(source.scopeFlows, content, boxes, ports);
  const rows = Array.from(boxes.item, (item) =>
    leafRows(source.scopeFlows.tree, source.scopeFlows.flows.attached, operationItem(source, item), source.options),
  );
  const input = layoutInput(source, boxes, rows, ports, bundles);
  return { scope, ...boxes, rows: Uint16Array.from(rows, ({ length }) => length), ports, bundles, input };
}

function findBoxes({ scopeFlows, options, isDrawn }: ItemSource, content: ScopeContent, unfolded: ReadonlySet<number>): ScopeBoxes {
  const children = membersOf(scopeFlows.tree.children, content.scope);
  const { first, name } = findStacks(scopeFlows.tree, content, isDrawn, options.stackFrom);
  const isStack = new Uint8Array(children.length);
  first.forEach((stack, ordinal) => (isStack[stack] = stack !== ordinal ? 1 : isStack[stack]!));
  const boxOfChild = new Int32Array(children.length).fill(-1);
  const shown: number[] = [];
  const sizes: number[] = [];
  for (let ordinal = 0; ordinal < children.length; ordinal++) {
    if (!isDrawn(children[ordinal]!)) continue;
    const stack = first[ordinal]!;
    if (stack !== ordinal && !unfolded.has(children[name[stack]!]!)) {
      boxOfChild[ordinal] = boxOfChild[stack]!;
      sizes[boxOfChild[stack]!]!++;
    } else {
      boxOfChild[ordinal] = shown.push(ordinal) - 1;
      sizes.push(1);
    }
  }
  return {
    item: Int32Array.from(shown, (ordinal) => children[ordinal]!),
    stackSize: Int32Array.from(sizes),
    stack: Int32Array.from(shown, (ordinal) => (isStack[first[ordinal]!] ? children[name[first[ordinal]!]!]! : -1)),
    boxOfChild,
  };
}

function bundleScope({ flows, tree }: ScopeFlows, content: ScopeContent, { item, boxOfChild }: ScopeBoxes, ports: Ports): Bundles {
  const inner = content.inner.length;
  const flow = new Int32Array(inner + content.border.length);
  const from = new Int32Array(flow.length);
  const to = new Int32Array(flow.length);
  flow.set(content.inner);
  flow.set(content.border, inner);
  for (let slot = 0; slot < inner; slot++) {
    from[slot] = boxOfChild[content.innerSource[slot]!]!;
    to[slot] = boxOfChild[content.innerTarget[slot]!]!;
  }
  for (let slot = 0; slot < content.border.length; slot++) {
    const box = boxOfChild[content.borderChild[slot]!]!;
    const port = item.length + ports.portOf[slot]!;
    from[inner + slot] = content.isLeaving[slot] ? box : port;
    to[inner + slot] = content.isLeaving[slot] ? port : box;
  }
  return bundleFlows(flows, flow, from, to, item.length + ports.neighbor.length, tree.structure.shape);
}

/** The operation that the box of an item is; the item itself where it contains several. */
function operationItem({ sole, scopeFlows }: ItemSource, item: number): number {
  const node = item < scopeFlows.tree.scopeCount ? sole[item]! : -1;
  return node < 0 ? item : scopeFlows.tree.scopeCount + node;
}

function layoutInput(source: ItemSource, boxes: ScopeBoxes, rows: readonly string[][], ports: Ports, bundles: Bundles): LayoutInput {
  const { tree } = source.scopeFlows;
  const isScope = (item: number): boolean => operationItem(source, item) < tree.scopeCount;
  return {
    boxes: boxes.item.length,
    inPorts: ports.inputs,
    outPorts: ports.outputs,
    width: Float64Array.from(boxes.item, (item, box) =>
      boxWidth(boxTitle(tree, source.sole, item), isScope(item) || boxes.stackSize[box]! > 1, rows[box]),
    ),
    height: Float64Array.from(boxes.item, (item, box) => (isScope(item) ? BOX.scopeHeight : nodeHeight(rows[box]!.length))),
    source: bundles.source,
    target: bundles.target,
  };
}
