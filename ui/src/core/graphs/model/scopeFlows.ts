// SPDX-License-Identifier: Apache-2.0
import { groupBy, membersOf, type Groups } from "../arrays/groups";
import type { Flows } from "./flows";
import { childAt, commonScope, positionOf, type ScopeTree } from "./scopeTree";

/** What a scope contains of the flows: those between two of its children, and those that cross its border. */
export interface ScopeContent {
  scope: number;
  /** Flows whose lowest common scope this is, and the ordinals of the children at both ends. */
  inner: Int32Array;
  innerSource: Int32Array;
  innerTarget: Int32Array;
  /** Flows with one end inside; `isLeaving` when this end is the source. */
  border: Int32Array;
  isLeaving: Uint8Array;
  borderChild: Int32Array;
}

/**
 * Flows by scope. The border of a scope comes from the content of its parent, so that opening a scope costs what is in it and at
 * its border, whatever the size of the graph.
 */
export class ScopeFlows {
  /** The lowest common scope of each flow. */
  readonly common: Int32Array;
  private readonly byScope: Groups;
  private readonly contents = new Map<number, ScopeContent>();
  private readonly borders = new Map<number, Groups>();

  constructor(
    readonly tree: ScopeTree,
    readonly flows: Flows,
  ) {
    this.common = flows.source.map((source, flow) => commonScope(tree, source, flows.target[flow]!));
    this.byScope = groupBy(this.common, tree.scopeCount);
  }

  content(scope: number): ScopeContent {
    const missing: number[] = [];
    for (let above = scope; above >= 0 && !this.contents.has(above); above = this.tree.parent[above]!) missing.push(above);
    for (const above of missing.reverse()) this.contents.set(above, this.readContent(above));
    return this.contents.get(scope)!;
  }

  private readContent(scope: number): ScopeContent {
    const { flows, tree } = this;
    const inner = membersOf(this.byScope, scope);
    const codes = this.borderCodes(scope);
    const child = (node: number): number => childAt(tree, scope, positionOf(tree, node));
    const border = codes.map((code) => code >> 1);
    const isLeaving = Uint8Array.from(codes, (code) => code & 1);
    return {
      scope,
      inner,
      innerSource: inner.map((flow) => child(flows.source[flow]!)),
      innerTarget: inner.map((flow) => child(flows.target[flow]!)),
      border,
      isLeaving,
      borderChild: border.map((flow, slot) => child(isLeaving[slot] ? flows.source[flow]! : flows.target[flow]!)),
    };
  }

  /** Flows over the border of a scope: twice the flow, plus 1 when it leaves. */
  private borderCodes(scope: number): Int32Array {
    const above = this.tree.parent[scope]!;
    if (above < 0) return new Int32Array(0);
    if (!this.borders.has(above)) this.borders.set(above, this.childBorders(above));
    return membersOf(this.borders.get(above)!, this.tree.ordinal[scope]!);
  }

  private childBorders(scope: number): Groups {
    const { inner, innerSource, innerTarget, border, isLeaving, borderChild } = this.contents.get(scope)!;
    const codes = new Int32Array(inner.length * 2 + border.length);
    const children = new Int32Array(codes.length);
    for (let slot = 0; slot < inner.length; slot++) {
      codes[2 * slot] = inner[slot]! * 2 + 1;
      children[2 * slot] = innerSource[slot]!;
      codes[2 * slot + 1] = inner[slot]! * 2;
      children[2 * slot + 1] = innerTarget[slot]!;
    }
    for (let slot = 0; slot < border.length; slot++) {
      codes[inner.length * 2 + slot] = border[slot]! * 2 + isLeaving[slot]!;
      children[inner.length * 2 + slot] = borderChild[slot]!;
    }
    const groups = groupBy(children, this.tree.children.start[scope + 1]! - this.tree.children.start[scope]!);
    return { start: groups.start, members: groups.members.map((index) => codes[index]!) };
  }
}
