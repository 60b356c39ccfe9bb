// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from "../../messages/message";
import type { ScopeTree } from "./scopeTree";
import { ROLE } from "./structure";

/** What a profile says of a scope: nanoseconds and bytes of a step, null where they are not recorded. */
export type ScopeTimes = Schemas["ScopeTimes"];

/** Operators of the type of a node in its scope; `nodes` of the graph share them. */
export interface NodeTimes {
  time: number;
  count: number;
  nodes: number;
  module: string;
}

/** Joins the items of a graph with the modules of a profile that the server aligned with its scopes. */
export class ProfiledTimes {
  private readonly scopes: ReadonlyMap<number, ScopeTimes>;
  /** Nodes by scope and type. */
  private readonly alike = new Map<string, number>();

  constructor(
    private readonly tree: ScopeTree,
    scopes: readonly ScopeTimes[],
  ) {
    this.scopes = new Map(scopes.map((each) => [each.scope, each]));
    const { scope, type, role } = tree.structure;
    for (let node = 0; node < role.length; node++) {
      if (role[node] !== ROLE.operation || !this.scopes.has(scope[node]!)) continue;
      const key = `${scope[node]} ${type[node]}`;
      this.alike.set(key, (this.alike.get(key) ?? 0) + 1);
    }
  }

  get isEmpty(): boolean {
    return this.scopes.size === 0;
  }

  ofScope(scope: number): ScopeTimes | null {
    return this.scopes.get(scope) ?? null;
  }

  ofNode(node: number): NodeTimes | null {
    const { scope, type, role, texts } = this.tree.structure;
    const found = role[node] === ROLE.operation ? this.scopes.get(scope[node]!) : undefined;
    const name = texts[type[node]!]!;
    const operator = found?.operators.find((each) => each.type === name);
    const nodes = this.alike.get(`${scope[node]} ${type[node]}`) ?? 1;
    return found && operator ? { time: operator.time_ns, count: operator.count, nodes, module: found.module } : null;
  }

  /** Nanoseconds of each item; nodes that share operators have equal parts. NaN where nothing is known. */
  times(): Float64Array {
    const { scopeCount } = this.tree;
    const found = new Float64Array(this.tree.parent.length).fill(Number.NaN);
    for (const { scope, forward_ns, backward_ns } of this.scopes.values())
      if (forward_ns !== null || backward_ns !== null) found[scope] = (forward_ns ?? 0) + (backward_ns ?? 0);
    for (let item = scopeCount; item < found.length; item++) {
      const own = this.ofNode(item - scopeCount);
      if (own) found[item] = own.time / own.nodes;
    }
    return found;
  }
}
