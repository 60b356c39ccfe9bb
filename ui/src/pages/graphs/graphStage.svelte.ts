// SPDX-License-Identifier: Apache-2.0
import type { GraphTable, TableRequest } from "../../core/graphs/model/graphTables";
import { buildAdjacency } from "../../core/graphs/model/adjacency";
import { parameterSums } from "../../core/graphs/model/parameterHomes";
import { scopeTotals, type Totals } from "../../core/graphs/model/typeTable";
import { boxTitle, buildScopeTree, itemPath, scopesAbove, type ScopeTree } from "../../core/graphs/model/scopeTree";
import type { GraphStructure } from "../../core/graphs/model/structure";
import { MATCH, MATCH_ANY, type NodeAttributes, type SearchResult } from "../../core/graphs/model/search";
import { itemAt, type ArrowKey } from "../../core/graphs/view/arrowKeys";
import { PictureReceiver } from "../../core/graphs/view/frameMessages";
import { readItem, readScopes, writeItem, writeScopes } from "../../core/graphs/view/graphAddress";
import type { GraphOptions } from "../../core/graphs/view/graphOptions";
import { frameOrigin, visibleBox, type GraphPicture, type OpenState } from "../../core/graphs/view/graphPicture";
import type { ShownNodes } from "../../core/graphs/view/graphSession";
import { leafRows, leavesOf } from "../../core/graphs/view/leafRows";
import type { PictureMarks } from "../../core/graphs/view/marks";
import { closeScope, openScopes, scopesAlike, scopesToDepth, toggleStack } from "../../core/graphs/view/openState";
import { boxMoves, keepInPlace, type BoxMoves, type Transform } from "../../core/graphs/view/transition";
import type { Filter } from "../../core/text/textFilter";
import type { GraphHighlight, GraphView } from "../../core/view/graphView";
import { startGraphWorker, type GraphCaller } from "../../state/data/graphCalls";
import { structureOf, type GraphSource } from "../../state/data/graphs";
import { firstScopes } from "./firstScopes";
import { shapeWords } from "./graphWords";

export interface Moving {
  moves: BoxMoves;
  start: number;
}

const MARGIN = 24;
const LARGEST_FIRST_SCALE = 1.15;
const LEAST_FIRST_SCALE = 0.6;
const SCALES = { least: 0.01, most: 6 };
export const MOVE_MS = 200;

/** One graph on the screen: what is open, where it is, what is selected, found and highlighted. The layout is made in a worker. */
export class GraphStage {
  readonly structure: GraphStructure;
  readonly tree: ScopeTree;
  readonly totals: Totals;
  picture = $state.raw<GraphPicture | null>(null);
  transform = $state.raw<Transform>({ x: 0, y: 0, scale: 1 });
  moving = $state.raw<Moving | null>(null);
  selected = $state(-1);
  hovered = $state(-1);
  found = $state.raw<SearchResult | null>(null);
  /** Position among the items that the search found; -1 before the first jump. */
  foundAt = $state(-1);
  marks = $state.raw<PictureMarks | null>(null);
  highlight = $state<GraphHighlight>("none");
  /** The node at the other end of all paths; -1 for none. */
  pathEnd = $state(-1);
  /** Items from the first bad operator to the damage; empty until they are known. */
  chain = $state.raw<readonly number[]>([]);
  /** What is searched, and in which fields, as bits of MATCH. */
  filter = $state.raw<Filter>({ text: "", isRegex: false });
  fields = $state(MATCH.label | MATCH.type);
  problem = $state("");
  /** Attributes can be searched. */
  hasAttributes = $state(false);
  shownNodes = $state.raw<ShownNodes | null>(null);
  openState = $state.raw<OpenState>({ open: new Set(), unfolded: new Set() });
  /** Scopes, then nodes, that the search found. */
  /** The only operation that each scope draws; -1 for the others. */
  sole = $derived<Int32Array>(this.shownNodes?.sole ?? new Int32Array(0));
  foundItems = $derived<readonly number[]>(
    this.found ? [...this.found.scopes, ...Array.from(this.found.nodes, (node) => this.tree.scopeCount + node)] : [],
  );
  hits = $derived<ReadonlySet<number>>(new Set(this.foundItems));
  size = $state.raw({ width: 0, height: 0 });
  /** What covers the left side of the screen; a picture that fits beside it is placed there. */
  leftRoom = 0;
  readonly #receiver: PictureReceiver;
  readonly #caller: GraphCaller;
  readonly #stop: () => void;
  readonly #onchange: (change: Partial<GraphView>) => void;
  #marked: Uint8Array | null = null;
  #parameters: { values: Float64Array; unknown: Uint32Array } | null = null;
  #isPlaced = false;
  /** As the picture was first shown; a window of another size shows it so again until a user moves it or selects. */
  #untouched: Transform | null = null;
  #searches = 0;
  /** Counts selections: an older one, which still waits for its picture, does not replace a newer one. */
  #selections = 0;

  constructor(graph: GraphSource, view: GraphView, onchange: (change: Partial<GraphView>) => void) {
    const { caller, stop } = startGraphWorker(graph); // both threads index the graph at the same time
    this.#caller = caller;
    this.#stop = stop;
    this.#onchange = onchange;
    const options = caller.call("setOptions", view.options);
    this.structure = structureOf(graph);
    this.tree = buildScopeTree(this.structure);
    this.totals = scopeTotals(this.tree);
    this.#receiver = new PictureReceiver(this.tree);
    void this.#start(view, options);
  }

  /** Elements of the weights of each scope, and of those that a node is or reads; NaN where they are unknown. */
  get parameters(): Float64Array {
    return this.#counted.values;
  }

  /** How many weights have an unknown number of elements, by item. */
  get unknownParameters(): Uint32Array {
    return this.#counted.unknown;
  }

  get #counted(): { values: Float64Array; unknown: Uint32Array } {
    if (this.#parameters === null) {
      const sums = parameterSums(this.tree, buildAdjacency(this.structure));
      this.#parameters = { values: sums.values(), unknown: sums.unknown };
    }
    return this.#parameters;
  }

  /** Nodes that are highlighted. */
  get markedCount(): number {
    return this.marks?.below[0] ?? 0;
  }

  /** Scopes inside of one another. */
  get depth(): number {
    return this.tree.depth.reduce((most, depth) => Math.max(most, depth), 0);
  }

  stop(): void {
    this.#stop();
  }

  isOpen(item: number): boolean {
    return this.openState.open.has(item);
  }

  label(item: number): string {
    return boxTitle(this.tree, this.sole, item);
  }

  /** Type, dtype or shape of a node. */
  text(column: "type" | "dtype" | "shape", node: number): string {
    const text = this.structure.texts[this.structure[column][node]!] ?? "";
    return column === "shape" ? shapeWords(text) : text;
  }

  /** The stack that a scope belongs to, folded or not; -1 for none. */
  stackOf(scope: number): number {
    const frame = this.picture?.frames.get(this.tree.parent[scope]!);
    if (!frame) return -1;
    return frame.items.stack[frame.items.boxOfChild[this.tree.ordinal[scope]!]!] ?? -1;
  }

  /** The scope with its siblings of the same structure. */
  alike(scope: number): number[] {
    return scopesAlike(this.tree, scope);
  }

  /** Full name of an item, with its scopes. */
  path(item: number): string {
    return itemPath(this.tree, item);
  }

  /** The operation that the box of a scope is, as an item; the item itself where it is none. */
  operationOf(item: number): number {
    const node = item < this.tree.scopeCount ? (this.sole[item] ?? -1) : -1;
    return node < 0 ? item : this.tree.scopeCount + node;
  }

  /** The module whose only operation an item is; else the item itself. */
  moduleOf(item: number): number {
    const scope = this.tree.parent[item] ?? -1;
    return scope > 0 && this.operationOf(scope) === item ? scope : item;
  }

  /** Shape of the tensors of an edge; "" where they differ. */
  carried(shape: number): string {
    const text = shape < 0 ? "" : (this.structure.texts[shape] ?? "");
    return text === "0" ? "" : shapeWords(text).replaceAll(" x ", "×"); // nothing is in a tensor of MindSpore that only orders
  }

  /** Names and shapes of the parameters and constants that a box lists. */
  rows(item: number, options: GraphOptions): readonly string[] {
    return this.shownNodes ? leafRows(this.tree, this.shownNodes.attached, this.operationOf(item), options, shapeWords) : [];
  }

  /** How many parameters and constants are ports of a box. */
  leafPorts(item: number, options: GraphOptions): number {
    return this.shownNodes ? leavesOf(this.tree, this.shownNodes.attached, this.operationOf(item), options, "port").length : 0;
  }

  async setOptions(options: GraphOptions): Promise<void> {
    this.shownNodes = await this.#caller.call("setOptions", options);
    await this.#show(this.openState, { anchor: this.selected, isArranged: true });
  }

  toggle(item: number): Promise<void> {
    const stack = this.operationOf(item) === item ? -1 : this.stackOf(item);
    if (stack >= 0) return this.unfold(stack);
    return this.isOpen(item) ? this.close(item) : this.open(item);
  }

  async open(item: number): Promise<void> {
    if (item <= 0 || item >= this.tree.scopeCount || this.isOpen(item) || this.operationOf(item) !== item) return;
    const scopes = [...scopesAbove(this.tree, item).slice(1), item];
    await this.#show(openScopes(this.openState, scopes), { anchor: item });
  }

  async close(item: number): Promise<void> {
    if (!this.isOpen(item)) return;
    await this.#show(closeScope(this.openState, item), { anchor: item });
  }

  /** Opens all scopes with the structure of a scope, or closes them. */
  async openAlike(scope: number): Promise<void> {
    const alike = scopesAlike(this.tree, scope);
    const { open, unfolded } = this.openState;
    const state = this.isOpen(scope) ? { open: without(open, alike), unfolded } : openScopes(this.openState, alike);
    await this.#show(state, { anchor: scope });
  }

  async unfold(stack: number): Promise<void> {
    await this.#show(toggleStack(this.openState, stack), { anchor: stack });
  }

  /** Opens all scopes with fewer than `depth` scopes around them, and closes the others. */
  async openToDepth(depth: number): Promise<void> {
    const open = new Set(scopesToDepth(this.tree, depth));
    await this.#show({ open, unfolded: this.openState.unfolded }, { anchor: -1, isArranged: true });
    this.fit();
  }

  select(chosen: number): void {
    this.#selections++;
    const item = this.operationOf(chosen);
    if (item === this.selected) return;
    this.#untouched = null;
    this.selected = item;
    this.#onchange({ node: item < 0 ? null : writeItem(this.tree, item) });
    if (ofSelection(this.highlight)) void this.setHighlight(item < this.tree.scopeCount ? "none" : this.highlight);
  }

  /** Selects a node, opens the scopes around it, and brings it into sight. */
  async reveal(node: number): Promise<void> {
    const turn = ++this.#selections;
    const answer = await this.#caller.call("reveal", this.openState, node);
    if (turn !== this.#selections) return;
    if (!answer) return this.select(this.tree.scopeCount + node);
    await this.#show(answer.state, { anchor: this.selected });
    if (turn !== this.#selections) return;
    this.select(this.tree.scopeCount + node);
    this.bringIntoSight(answer.item);
  }

  /** Selects an item; a node or a scope. */
  async goTo(item: number): Promise<void> {
    if (item >= this.tree.scopeCount) return this.reveal(item - this.tree.scopeCount);
    const turn = ++this.#selections;
    const above = scopesAbove(this.tree, item).slice(1);
    if (above.some((scope) => !this.isOpen(scope))) await this.#show(openScopes(this.openState, above), { anchor: this.selected });
    if (turn !== this.#selections) return;
    this.select(item);
    this.bringIntoSight(item);
  }

  moveSelection(key: ArrowKey): void {
    if (!this.picture) return;
    const first = this.picture.root.items.item[0];
    const from = this.selected >= 0 ? this.#boxItem(this.selected) : -1;
    const next = from < 0 ? first : itemAt(this.picture, from, key);
    if (next === undefined) return;
    this.select(next);
    this.bringIntoSight(next);
  }

  /** The item whose box shows an item. */
  #boxItem(item: number): number {
    const found = this.picture && visibleBox(this.picture, item);
    return found ? found.frame.items.item[found.box]! : -1;
  }

  /** The searches after it find attributes, too. */
  async setAttributes(attributes: NodeAttributes): Promise<void> {
    await this.#caller.call("setAttributes", attributes);
    this.hasAttributes = true;
  }

  async search(filter: Filter, fields = this.fields): Promise<void> {
    const { text, isRegex } = filter;
    this.filter = filter;
    this.fields = fields;
    const turn = ++this.#searches;
    this.foundAt = -1;
    if (text.trim() === "") {
      this.found = null;
      return;
    }
    const result = await this.#caller.call("search", { text, isRegex, fields });
    if (turn === this.#searches) this.found = result;
  }

  async stepFound(direction: 1 | -1): Promise<void> {
    const count = this.foundItems.length;
    if (count === 0) return;
    this.foundAt = this.foundAt < 0 ? (direction > 0 ? 0 : count - 1) : (this.foundAt + direction + count) % count;
    await this.goTo(this.foundItems[this.foundAt]!);
  }

  /** Goes to one of the items that the search found; the next step begins there. */
  async goToFound(item: number): Promise<void> {
    this.foundAt = this.foundItems.indexOf(item);
    await this.goTo(item);
  }

  async setHighlight(highlight: GraphHighlight): Promise<void> {
    const node = this.selected - this.tree.scopeCount;
    this.highlight = (ofSelection(highlight) && node < 0) || (highlight === "paths" && this.pathEnd < 0) ? "none" : highlight;
    if (this.highlight !== "paths") this.pathEnd = -1;
    this.#onchange({ highlight: this.highlight, to: this.pathEnd < 0 ? null : writeItem(this.tree, this.pathEnd) });
    this.#marked = await this.#markedNodes(this.highlight, node);
    await this.#mark();
  }

  /** Highlights the operators that a bad number spread to, the first one at the beginning. */
  async showChain(chain: readonly number[]): Promise<void> {
    this.chain = chain;
    if (this.highlight === "first_bad") await this.setHighlight("first_bad");
  }

  /** Keeps a node as an end of paths: the next node that is selected is the other end. */
  async startPaths(node: number): Promise<void> {
    this.pathEnd = this.tree.scopeCount + node;
    await this.setHighlight("paths");
  }

  /** The key of paths: the selected node becomes an end, the same node again ends the highlight. */
  async markPathEnd(): Promise<void> {
    const node = this.selected - this.tree.scopeCount;
    if (node < 0) return;
    if (this.highlight === "paths" && (this.pathEnd === this.selected || this.pathEnd < 0)) await this.setHighlight("none");
    else await this.startPaths(node);
  }

  /** Rows of a table, computed in the worker. */
  table(request: Omit<TableRequest, "kept">, filter: Filter): Promise<GraphTable> {
    const text = filter.text.trim();
    return this.#caller.call("table", request, text === "" ? null : { text, isRegex: filter.isRegex, fields: MATCH_ANY });
  }

  fit(): void {
    if (this.picture) this.transform = this.#fitted(SCALES.least, 2);
  }

  pan(dx: number, dy: number): void {
    const { x, y, scale } = this.transform;
    this.transform = { x: x + dx, y: y + dy, scale };
  }

  /** Zooms so that what is at a pixel stays there. */
  zoom(factor: number, x = this.size.width / 2, y = this.size.height / 2): void {
    const scale = Math.min(Math.max(this.transform.scale * factor, SCALES.least), SCALES.most);
    const ratio = scale / this.transform.scale;
    this.transform = { x: x - (x - this.transform.x) * ratio, y: y - (y - this.transform.y) * ratio, scale };
  }

  /** Moves the middle of the screen to a place of the picture. */
  centerOn(x: number, y: number): void {
    const { scale } = this.transform;
    this.transform = { x: this.size.width / 2 - scale * x, y: this.size.height / 2 - scale * y, scale };
  }

  resize(width: number, height: number): void {
    this.size = { width, height };
    if (!this.#isPlaced || this.transform === this.#untouched) this.#place();
  }

  /** Pans by as little as shows a box, and zooms in when its name is too small to read. */
  bringIntoSight(item: number): void {
    const found = this.picture && visibleBox(this.picture, item);
    if (!found) return;
    const origin = frameOrigin(this.picture!, found.frame.scope);
    const { boxes } = found.frame.layout;
    const [left, top] = [origin.x + boxes.x[found.box]!, origin.y + boxes.y[found.box]!];
    const [width, height] = [boxes.width[found.box]!, boxes.height[found.box]!];
    if (this.transform.scale < LEAST_FIRST_SCALE) this.transform = { ...this.transform, scale: 0.8 };
    const { x, y, scale } = this.transform;
    const isIn =
      x + scale * left >= MARGIN &&
      y + scale * top >= MARGIN &&
      x + scale * (left + Math.min(width, 240)) <= this.size.width - MARGIN &&
      y + scale * (top + Math.min(height, 40)) <= this.size.height - MARGIN;
    if (!isIn) this.centerOn(left + Math.min(width, this.size.width / scale) / 2, top + Math.min(height, this.size.height / scale) / 2);
  }

  async #start(view: GraphView, options: Promise<ShownNodes>): Promise<void> {
    const shown = await options;
    this.shownNodes = shown;
    const { tree } = this;
    const open = view.open === null ? new Set(firstScopes(tree, shown.isDrawn)) : readScopes(tree, view.open);
    this.openState = { open, unfolded: readScopes(tree, view.unfolded) };
    const item = view.node === null ? -1 : readItem(tree, view.node);
    await this.#show(this.openState, { anchor: -1, isArranged: true, isFirst: true });
    if (item >= 0 && view.open === null) await this.goTo(item);
    else {
      this.selected = this.operationOf(item);
      if (item >= 0) this.bringIntoSight(item);
    }
    this.pathEnd = view.to === null ? -1 : readItem(tree, view.to);
    if (view.highlight !== "none") await this.setHighlight(view.highlight);
  }

  async #show(
    state: OpenState,
    { anchor, isArranged = false, isFirst = false }: { anchor: number; isArranged?: boolean; isFirst?: boolean },
  ): Promise<void> {
    this.openState = state; // before the picture comes, so that a second gesture builds on the first
    const message = await this.#caller.call("picture", state, isArranged);
    const before = this.picture;
    const picture = this.#receiver.receive(message);
    const from = this.transform;
    const transform = before && anchor >= 0 ? keepInPlace(before, picture, anchor, from) : from;
    this.picture = picture;
    this.transform = transform;
    if (!this.#isPlaced) this.#place();
    if (before && !isArranged && hasMotion())
      this.moving = {
        moves: boxMoves({ picture: before, transform: from }, { picture, transform }, this.size),
        start: performance.now(),
      };
    if (!isFirst) this.#onchange({ open: writeScopes(this.tree, state.open), unfolded: writeScopes(this.tree, state.unfolded) });
    await this.#mark();
  }

  #place(): void {
    if (!this.picture || this.size.width === 0) return;
    this.transform = this.#fitted(LEAST_FIRST_SCALE, LARGEST_FIRST_SCALE);
    this.#untouched = this.transform;
    this.#isPlaced = true;
  }

  /** The whole picture in the middle; where it is too large for the least scale, its top. */
  #fitted(least: number, most: number): Transform {
    const { width, height } = this.picture!.root.layout;
    const fits = (room: number): number => Math.min((room - 2 * MARGIN) / width, (this.size.height - 2 * MARGIN) / height);
    const beside = fits(this.size.width - this.leftRoom);
    const whole = beside >= LEAST_FIRST_SCALE ? beside : fits(this.size.width);
    const scale = Math.min(Math.max(whole, least), most);
    const spare = this.size.width - scale * width;
    const x = spare >= this.leftRoom + MARGIN ? Math.max(spare / 2, this.leftRoom + Math.min(MARGIN, spare - this.leftRoom)) : spare / 2;
    return { x, y: Math.max(MARGIN, (this.size.height - scale * height) / 2), scale };
  }

  async #markedNodes(highlight: GraphHighlight, node: number): Promise<Uint8Array | null> {
    if (highlight === "none") return null;
    if (highlight === "from" || highlight === "to") return this.#caller.call("reachable", node, highlight);
    if (highlight === "first_bad") return this.chain.length > 0 ? this.#caller.call("chain", [...this.chain]) : null;
    if (highlight === "paths") return this.#pathNodes(node, this.pathEnd - this.tree.scopeCount);
    const { nodes } = await this.#caller.call("criticalPath", highlight);
    const marked = new Uint8Array(this.tree.nodeCount);
    for (const each of nodes) marked[each] = 1;
    return marked;
  }

  /** The nodes on all paths between two nodes, whichever of them is first. */
  async #pathNodes(node: number, other: number): Promise<Uint8Array> {
    const forward = await this.#caller.call("between", node, other);
    return forward[node] ? forward : this.#caller.call("between", other, node);
  }

  async #mark(): Promise<void> {
    this.marks = this.#marked && (await this.#caller.call("mark", this.#marked));
  }
}

const ofSelection = (highlight: GraphHighlight): boolean => highlight === "from" || highlight === "to" || highlight === "paths";

const hasMotion = (): boolean => !matchMedia("(prefers-reduced-motion: reduce)").matches;

function without(scopes: ReadonlySet<number>, others: readonly number[]): Set<number> {
  const rest = new Set(scopes);
  for (const scope of others) rest.delete(scope);
  return rest;
}
