// SPDX-License-Identifier: Apache-2.0
import { membersOf } from "../arrays/groups";
import type { Attachments } from "../layout/attachments";
import type { LayoutLimits } from "../layout/layoutInput";
import { placeScope, type ScopeLayout, type Skeleton } from "../layout/scopeLayout";
import { buildAdjacency, type Adjacency } from "../model/adjacency";
import { buildFlows } from "../model/flows";
import { ScopeFlows } from "../model/scopeFlows";
import { boxTitle, scopesAbove, soleNodes, type ScopeTree } from "../model/scopeTree";
import { runningSums, totalBelow } from "../model/totals";
import { headerWidth } from "./boxSize";
import type { GraphOptions } from "./graphOptions";
import { OTHERS } from "./ports";
import { scopeItems, vertexItem, type ItemSource, type ScopeItems } from "./scopeItems";
import { SkeletonCache, type SharedLayout } from "./skeletonCache";

/** Which scopes are open, and which stacks, by name, show their members. */
export interface OpenState {
  open: ReadonlySet<number>;
  unfolded: ReadonlySet<number>;
}

/** An open scope with the layout of its boxes, and the frames of its open boxes. */
export interface Frame {
  scope: number;
  items: ScopeItems;
  layout: ScopeLayout;
  inner: ReadonlyMap<number, Frame>;
}

/** The frames of all open scopes that are visible; the root is always open. */
export interface GraphPicture {
  tree: ScopeTree;
  root: Frame;
  frames: ReadonlyMap<number, Frame>;
}

/** Pictures of one graph with one set of options. A new picture reuses the frames of the last one that did not change. */
export class GraphPictures {
  private readonly source: ItemSource;
  private readonly skeletons: SkeletonCache;
  private items = new Map<number, { unfolded: string; above: ScopeItems | null; items: ScopeItems; shared: SharedLayout }>();
  private frames = new Map<number, Frame>();

  constructor(
    readonly tree: ScopeTree,
    options: GraphOptions,
    private readonly adjacency: Adjacency = buildAdjacency(tree.structure),
    limits?: LayoutLimits,
  ) {
    const flows = buildFlows(tree.structure, adjacency, options);
    const drawn = runningSums(tree, flows.isDrawn);
    this.skeletons = new SkeletonCache(limits);
    this.source = {
      scopeFlows: new ScopeFlows(tree, flows),
      options,
      isDrawn: (item) => totalBelow(tree, drawn, item) > 0,
      sole: options.joinsSingle ? soleNodes(tree, flows.isDrawn) : new Int32Array(tree.scopeCount).fill(-1),
      boxItem: (item) => this.boxItem(item),
    };
  }

  get sole(): Int32Array {
    return this.source.sole;
  }

  get scopeFlows(): ScopeFlows {
    return this.source.scopeFlows;
  }

  /**
   * Columns and rows follow the closed sizes of boxes, so that nothing changes places when a box opens. With `isArranged` they follow
   * the present sizes, and keep to them afterwards: for a first view, and when a reader opens everything at once.
   */
  picture(state: OpenState, isArranged = false): GraphPicture {
    const scopes = this.visibleScopes(state);
    const frames = new Map<number, Frame>();
    for (let index = scopes.length - 1; index >= 0; index--) {
      const scope = scopes[index]!;
      frames.set(scope, this.frame(scope, this.innerFrames(scope, frames, state), isArranged));
    }
    this.frames = frames;
    return { tree: this.tree, root: frames.get(0)!, frames };
  }

  /** Opens every scope on the way to an item, and unfolds the stacks that hide it. */
  reveal(state: OpenState, item: number): OpenState {
    const open = new Set(state.open);
    const unfolded = new Set(state.unfolded);
    let scope = 0;
    for (const step of [...scopesAbove(this.tree, item).slice(1), item]) {
      const shown = (): ScopeItems => this.readItems(scope, this.scopesByParent(unfolded).get(scope) ?? []);
      const box = shown().boxOfChild[this.tree.ordinal[step]!]!;
      if (box < 0) break;
      if (shown().item[box] !== step) unfolded.add(shown().stack[box]!);
      shown();
      if (this.source.sole[step]! >= 0) break;
      if (step !== item) open.add(step);
      scope = step;
    }
    return { open, unfolded };
  }

  /** The node that shows a node: itself, or the first that reads it when it is no box of its own; -1 when nothing shows it. */
  nodeThatShows(node: number): number {
    const { outgoing } = this.adjacency;
    const queue = [node];
    const seen = new Set(queue);
    for (const next of queue) {
      if (this.scopeFlows.flows.isDrawn[next]) return next;
      for (const edge of membersOf(outgoing, next)) {
        const reader = this.tree.structure.target[edge]!;
        if (!seen.has(reader)) queue.push(reader);
        seen.add(reader);
      }
    }
    return -1;
  }

  /** Open scopes whose box is in the picture, each after its parent. */
  private visibleScopes({ open, unfolded }: OpenState): number[] {
    const openBelow = this.scopesByParent(open);
    const unfoldedBelow = this.scopesByParent(unfolded);
    const visible = [0];
    for (let index = 0; index < visible.length; index++) {
      const scope = visible[index]!;
      const items = this.readItems(scope, unfoldedBelow.get(scope) ?? []);
      for (const child of openBelow.get(scope) ?? [])
        if (items.item[items.boxOfChild[this.tree.ordinal[child]!]!] === child && this.source.sole[child]! < 0) visible.push(child);
    }
    return visible;
  }

  private scopesByParent(scopes: ReadonlySet<number>): Map<number, number[]> {
    const byParent = new Map<number, number[]>();
    for (const scope of scopes) {
      const parent = this.tree.parent[scope];
      if (parent === undefined || scope >= this.tree.scopeCount) continue;
      const siblings = byParent.get(parent);
      if (siblings) siblings.push(scope);
      else byParent.set(parent, [scope]);
    }
    return byParent;
  }

  /** Boxes and edges of a scope. Its ports depend on the boxes of the scopes around it, so those come first. */
  private readItems(scope: number, unfolded: number[]): ScopeItems {
    const above = this.items.get(this.tree.parent[scope]!)?.items ?? null;
    const key = unfolded.sort((a, b) => a - b).join();
    const known = this.items.get(scope);
    if (known?.unfolded === key && known.above === above) return known.items;
    const items = scopeItems(this.source, scope, new Set(unfolded));
    this.items.set(scope, { unfolded: key, above, items, shared: this.skeletons.get(items.input) });
    return items;
  }

  private boxItem(item: number): number {
    const items = this.items.get(this.tree.parent[item]!)?.items;
    return items?.item[items.boxOfChild[this.tree.ordinal[item]!]!] ?? item;
  }

  /** Frames of the open boxes of a scope, by box. */
  private innerFrames(scope: number, frames: ReadonlyMap<number, Frame>, { open }: OpenState): Map<number, Frame> {
    const inner = new Map<number, Frame>();
    if (open.size > 0)
      this.items.get(scope)!.items.item.forEach((item, box) => {
        const frame = item < this.tree.scopeCount ? frames.get(item) : undefined;
        if (frame) inner.set(box, frame);
      });
    return inner;
  }

  private frame(scope: number, inner: ReadonlyMap<number, Frame>, isArranged: boolean): Frame {
    const known = this.items.get(scope)!;
    const last = this.frames.get(scope);
    if (!isArranged && last?.items === known.items && isSame(last.inner, inner)) return last;
    const sizes = openSizes(known.items, inner);
    if (isArranged) known.shared = this.skeletons.get({ ...known.items.input, ...sizes });
    const leastWidth = scope === 0 ? 0 : headerWidth(boxTitle(this.tree, this.source.sole, scope));
    return { scope, items: known.items, layout: layoutFrame(known.shared, known.items, sizes, inner, leastWidth), inner };
  }
}

interface Sizes {
  width: Float64Array;
  height: Float64Array;
}

function openSizes({ input }: ScopeItems, inner: ReadonlyMap<number, Frame>): Sizes {
  if (inner.size === 0) return input;
  const [width, height] = [input.width.slice(), input.height.slice()];
  for (const [box, frame] of inner) {
    width[box] = frame.layout.width;
    height[box] = frame.layout.height;
  }
  return { width, height };
}

function isSame(a: ReadonlyMap<number, Frame>, b: ReadonlyMap<number, Frame>): boolean {
  if (a.size !== b.size) return false;
  for (const [box, frame] of a) if (b.get(box) !== frame) return false;
  return true;
}

function layoutFrame(
  { skeleton, initial }: SharedLayout,
  items: ScopeItems,
  { width, height }: Sizes,
  inner: ReadonlyMap<number, Frame>,
  leastWidth: number,
): ScopeLayout {
  if (inner.size > 0) return placeScope(skeleton, width, height, portAttachments(items, inner), leastWidth);
  const layout = hasSizes(skeleton, width, height) ? initial : placeScope(skeleton, width, height);
  return layout.width >= leastWidth ? layout : { ...layout, width: leastWidth };
}

const hasSizes = ({ input }: Skeleton, width: Float64Array, height: Float64Array): boolean =>
  width.every((value, box) => value === input.width[box] && height[box] === input.height[box]);

/** Where edges meet the ports of open boxes. */
function portAttachments(items: ScopeItems, inner: ReadonlyMap<number, Frame>): Attachments {
  const { source, target, isControl } = items.bundles;
  const attachments = {
    source: new Float64Array(source.length).fill(Number.NaN),
    target: new Float64Array(source.length).fill(Number.NaN),
  };
  const portPlaces = new Map<number, Map<number, number>>();
  for (const [box, frame] of inner) portPlaces.set(box, placesByNeighbor(frame));
  for (let bundle = 0; bundle < source.length; bundle++) {
    const [from, to, control] = [source[bundle]!, target[bundle]!, isControl[bundle]!];
    attachments.source[bundle] = portPlace(portPlaces.get(from), vertexItem(items, to), control, 1);
    attachments.target[bundle] = portPlace(portPlaces.get(to), vertexItem(items, from), control, 0);
  }
  return attachments;
}

const portKey = (neighbor: number, control: number, side: number): number => neighbor * 4 + control * 2 + side;

/** Place of the port of a neighbor, or of the port that it shares with others; NaN without one. */
const portPlace = (places: ReadonlyMap<number, number> | undefined, neighbor: number, control: number, side: number): number =>
  places?.get(portKey(neighbor, control, side)) ?? places?.get(portKey(OTHERS, 0, side)) ?? Number.NaN;

function placesByNeighbor({ items, layout }: Frame): Map<number, number> {
  const places = new Map<number, number>();
  const { neighbor, isControl, inputs } = items.ports;
  for (let port = 0; port < neighbor.length; port++)
    places.set(portKey(neighbor[port]!, isControl[port]!, port < inputs ? 0 : 1), layout.portX[port]!);
  return places;
}

/** Corner of an open scope in the picture. */
export function frameOrigin(picture: GraphPicture, scope: number): { x: number; y: number } {
  const origin = { x: 0, y: 0 };
  for (let inside = scope; inside !== 0;) {
    const { items, layout } = picture.frames.get(picture.tree.parent[inside]!)!;
    const box = items.boxOfChild[picture.tree.ordinal[inside]!]!;
    origin.x += layout.boxes.x[box]!;
    origin.y += layout.boxes.y[box]!;
    inside = items.scope;
  }
  return origin;
}

/** The box that shows an item, or else the closed box or folded stack around it. */
export function visibleBox(picture: GraphPicture, item: number): { frame: Frame; box: number } | null {
  let frame = picture.root;
  for (const step of [...scopesAbove(picture.tree, item).slice(1), item]) {
    const box = frame.items.boxOfChild[picture.tree.ordinal[step]!] ?? -1;
    if (box < 0) return null;
    const inner = frame.items.item[box] === step ? frame.inner.get(box) : undefined;
    if (!inner || step === item) return { frame, box };
    frame = inner;
  }
  return null;
}
