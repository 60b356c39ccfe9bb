// SPDX-License-Identifier: Apache-2.0
import type { Groups } from "../arrays/groups";
import { buildAdjacency, type Adjacency } from "../model/adjacency";
import { chainNodes } from "../model/chain";
import { GraphTables, type GraphTable, type TableRequest } from "../model/graphTables";
import { criticalPath, nodesBetween, reachableNodes, type CriticalPath } from "../model/paths";
import { buildScopeTree, type ScopeTree } from "../model/scopeTree";
import { GraphSearch, type NodeAttributes, type SearchQuery, type SearchResult } from "../model/search";
import type { GraphStructure } from "../model/structure";
import { PictureSender, type PictureMessage } from "./frameMessages";
import type { GraphOptions } from "./graphOptions";
import { GraphPictures, type GraphPicture, type OpenState } from "./graphPicture";
import { markPicture, type PictureMarks } from "./marks";

/** What the options make of the nodes: parameters and constants that a node lists, and the nodes that are boxes. */
export interface ShownNodes {
  attached: Groups;
  isDrawn: Uint8Array;
  /** The operation that the box of each scope is; -1 for the others. */
  sole: Int32Array;
}

/** One graph in a worker: every call has plain arguments and a plain answer. */
export class GraphSession {
  private readonly tree: ScopeTree;
  private readonly adjacency: Adjacency;
  private readonly searcher: GraphSearch;
  private pictures: GraphPictures | null = null;
  private tables: GraphTables | null = null;
  private sender = new PictureSender();
  private last: GraphPicture | null = null;

  constructor(private readonly structure: GraphStructure) {
    this.tree = buildScopeTree(structure);
    this.adjacency = buildAdjacency(structure);
    this.searcher = new GraphSearch(this.tree);
  }

  /** Call it first. */
  setOptions(options: GraphOptions): ShownNodes {
    this.pictures = new GraphPictures(this.tree, options, this.adjacency);
    const { attached, isDrawn } = this.pictures.scopeFlows.flows;
    return { attached, isDrawn, sole: this.pictures.sole };
  }

  picture(state: OpenState, isArranged: boolean): PictureMessage {
    this.last = this.pictures!.picture(state, isArranged);
    return this.sender.message(this.last);
  }

  /** The state that shows a node, and the item to select; null when nothing shows it. */
  reveal(state: OpenState, node: number): { state: OpenState; item: number } | null {
    const shown = this.pictures!.nodeThatShows(node);
    if (shown < 0) return null;
    const item = this.tree.scopeCount + shown;
    return { state: this.pictures!.reveal(state, item), item };
  }

  setAttributes(attributes: NodeAttributes): void {
    this.searcher.setAttributes(attributes);
  }

  search(query: SearchQuery): SearchResult {
    return this.searcher.search(query);
  }

  /** Rows of a table; with a query, those of what it finds. */
  table(request: Omit<TableRequest, "kept">, query: SearchQuery | null): GraphTable {
    this.tables ??= new GraphTables(this.tree, this.adjacency);
    const kept = query && this.searcher.search(query);
    return this.tables.table({ ...request, kept });
  }

  reachable(node: number, direction: "from" | "to"): Uint8Array {
    return reachableNodes(this.structure, this.adjacency, node, direction);
  }

  between(from: number, to: number): Uint8Array {
    return nodesBetween(this.structure, this.adjacency, from, to);
  }

  chain(items: readonly number[]): Uint8Array {
    return chainNodes(this.tree, this.adjacency, items);
  }

  criticalPath(by: "flops" | "bytes"): CriticalPath {
    return criticalPath(this.structure, this.structure[by]);
  }

  /** Marks of the last picture. */
  mark(isMarked: Uint8Array): PictureMarks {
    return markPicture(this.last!, this.pictures!.scopeFlows.flows, isMarked);
  }
}
