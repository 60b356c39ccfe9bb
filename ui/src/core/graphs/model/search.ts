// SPDX-License-Identifier: Apache-2.0
import type { Message } from "../../messages/message";
import { IntList } from "../arrays/intList";
import { isSlowPattern } from "../../text/slowPattern";
import type { ScopeTree } from "./scopeTree";

/** Bits of what matched. */
export const MATCH = { label: 1, type: 2, shape: 4, dtype: 8, attribute: 16 } as const;
/** Every field that needs no further data. */
export const MATCH_ANY = 15;

/** The attributes of nodes: each distinct text `name=value` once, and pairs of a node and the index of a text. */
export type NodeAttributes = Omit<Message<"AttributesHeader">, "is_cut">;

export interface SearchQuery {
  text: string;
  isRegex: boolean;
  /** Fields to search, as bits of MATCH. */
  fields: number;
}

export interface SearchResult {
  /** Nodes that match, in execution order, and which of their fields do. */
  nodes: Int32Array;
  matches: Uint8Array;
  /** Scopes whose name matches. */
  scopes: Int32Array;
  /** Matching nodes below each scope, for badges of closed scopes. */
  below: Int32Array;
  /** Why there is no result, or only a part of it. */
  problem: "invalid_pattern" | "slow_pattern" | null;
}

/** Time after which a regular expression is given up. */
const MOST_MILLISECONDS = 250;
const TESTS_PER_CLOCK = 64;
const PATH_SIGNS = /[/.]/;
/** The scope around everything in full names of MindSpore and of dumps, which the tree of scopes does not have. */
const ROOT = /^default\//;

/** Searches names of nodes and tensors, types, shapes and dtypes. Each distinct text is tested once. A text with `/` or `.` is searched in full paths. */
export class GraphSearch {
  private lower: readonly string[] | null = null;
  private paths: { full: string[]; code: string[] } | null = null;
  private attributes: NodeAttributes | null = null;

  constructor(private readonly tree: ScopeTree) {}

  private get lowerTexts(): readonly string[] {
    return (this.lower ??= this.tree.structure.texts.map((text) => text.toLowerCase()));
  }

  /** Before it, no attribute matches. */
  setAttributes({ texts, node, text }: NodeAttributes): void {
    this.attributes = { texts: texts.map((each) => each.toLowerCase()), node, text };
  }

  search(query: SearchQuery): SearchResult {
    const matcher = query.text === "" ? () => false : this.matcher(query);
    if (typeof matcher === "string") return this.result([], [], [], matcher);
    const isPath = PATH_SIGNS.test(query.text) && (query.fields & MATCH.label) !== 0;
    try {
      return this.collect(query, isPath, matcher);
    } catch (error) {
      if (error instanceof SlowPattern) return this.result([], [], [], "slow_pattern");
      throw error;
    }
  }

  private matcher({ text, isRegex }: SearchQuery): ((candidate: string) => boolean) | "invalid_pattern" | "slow_pattern" {
    if (!isRegex) {
      const lower = text.toLowerCase().replace(ROOT, "");
      return (candidate) => candidate.includes(lower);
    }
    if (isSlowPattern(text)) return "slow_pattern";
    try {
      return timed(new RegExp(text, "i"));
    } catch {
      return "invalid_pattern";
    }
  }

  private collect(query: SearchQuery, isPath: boolean, matches: (candidate: string) => boolean): SearchResult {
    const { structure, nodeAt, nodeCount, scopeCount } = this.tree;
    const { lowerTexts } = this;
    const known = new Uint8Array(structure.texts.length); // 1 no, 2 yes
    const isMatch = (text: number): boolean => {
      known[text] ||= matches(lowerTexts[text]!) ? 2 : 1;
      return known[text] === 2;
    };
    const paths = isPath ? this.scopePaths() : null;
    const isLabel = (text: number, name: number, scope: number): boolean =>
      isMatch(text) ||
      (paths !== null && (matches(paths.full[scope]! + lowerTexts[text]!) || matches(paths.code[scope]! + lowerTexts[name]!)));
    const hasAttribute = query.fields & MATCH.attribute ? this.nodesByAttribute(matches) : null;
    const nodes = new IntList();
    const found = new IntList();
    for (let position = 0; position < nodeCount; position++) {
      const node = nodeAt[position]!;
      let bits =
        query.fields & MATCH.label &&
        (isMatch(structure.tensor[node]!) || isLabel(structure.label[node]!, structure.label[node]!, structure.scope[node]!))
          ? MATCH.label
          : 0;
      if (query.fields & MATCH.type && isMatch(structure.type[node]!)) bits |= MATCH.type;
      if (query.fields & MATCH.shape && isMatch(structure.shape[node]!)) bits |= MATCH.shape;
      if (query.fields & MATCH.dtype && isMatch(structure.dtype[node]!)) bits |= MATCH.dtype;
      if (hasAttribute?.[node]) bits |= MATCH.attribute;
      if (bits === 0) continue;
      nodes.push(node);
      found.push(bits);
    }
    const scopes = new IntList();
    for (let scope = 1; scope < scopeCount; scope++)
      if (
        query.fields & MATCH.label &&
        isLabel(structure.scope_label[scope]!, structure.scope_name[scope]!, structure.scope_parent[scope]!)
      )
        scopes.push(scope);
    return this.result(nodes.toArray(), found.toArray(), scopes.toArray(), null);
  }

  private nodesByAttribute(matches: (candidate: string) => boolean): Uint8Array {
    const found = new Uint8Array(this.tree.nodeCount);
    if (!this.attributes) return found;
    const { texts, node, text } = this.attributes;
    const isMatch = Uint8Array.from(texts, (each) => (matches(each) ? 1 : 0));
    for (let pair = 0; pair < node.length; pair++) found[node[pair]!]! |= isMatch[text[pair]!]!;
    return found;
  }

  /** Lower-case path of each scope in the file and in the code of the network, with a sign at the end; empty for the root. */
  private scopePaths(): { full: string[]; code: string[] } {
    if (this.paths) return this.paths;
    const { scope_label, scope_name, scope_parent } = this.tree.structure;
    const [full, code] = [[""], [""]];
    for (let scope = 1; scope < scope_parent.length; scope++) {
      full.push(`${full[scope_parent[scope]!]!}${this.lowerTexts[scope_label[scope]!]!}/`);
      code.push(`${code[scope_parent[scope]!]!}${this.lowerTexts[scope_name[scope]!]!}.`);
    }
    return (this.paths = { full, code });
  }

  private result(
    nodes: ArrayLike<number>,
    matches: ArrayLike<number>,
    scopes: ArrayLike<number>,
    problem: SearchResult["problem"],
  ): SearchResult {
    return {
      nodes: Int32Array.from(nodes),
      matches: Uint8Array.from(matches),
      scopes: Int32Array.from(scopes),
      below: countBelow(this.tree, nodes),
      problem,
    };
  }
}

class SlowPattern extends Error {}

function timed(pattern: RegExp): (candidate: string) => boolean {
  const end = performance.now() + MOST_MILLISECONDS;
  let tests = 0;
  return (candidate) => {
    if (++tests % TESTS_PER_CLOCK === 0 && performance.now() > end) throw new SlowPattern();
    return pattern.test(candidate);
  };
}

/** How many of the nodes are below each scope. */
export function countBelow({ structure }: ScopeTree, nodes: ArrayLike<number>): Int32Array {
  const below = new Int32Array(structure.scope_parent.length);
  for (let index = 0; index < nodes.length; index++) below[structure.scope[nodes[index]!]!]!++;
  for (let scope = below.length - 1; scope > 0; scope--) below[structure.scope_parent[scope]!]! += below[scope]!;
  return below;
}
