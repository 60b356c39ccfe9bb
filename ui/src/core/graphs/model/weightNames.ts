// SPDX-License-Identifier: Apache-2.0
import { isWeight } from "./parameterHomes";
import type { GraphStructure } from "./structure";

/** What a tag says of a weight. */
export type Quantity = "parameter" | "gradient";

/** `conv1.weight.grad` and `conv1.weight_grad` are parts of tags, too. */
const ENDING = /[._:-](grads?|gradients?|norm)$/i;

/** Whether a graph may have a weight that the tag names: a part between slashes has a dot inside. */
export const mayNameWeight = (tag: string): boolean => tag.split("/").some((part) => /[^.\s]\.[a-z_]/i.test(part));

/** A part of a tag without what it says of the gradient: `conv1.weight.grad`. */
export const bareName = (part: string): string => part.replace(ENDING, "");

/** Type of the nodes that read weights and modules, in graphs that PyTorch's `add_graph` writes. */
const ATTRIBUTE = "prim::GetAttr";

export interface NamedWeights {
  /** Nodes of one weight: a weight may be in several graphs of a picture. */
  nodes: readonly number[];
  /** Null for what is neither the weight nor its gradient, such as a momentum. */
  quantity: Quantity | null;
  /** The rest of the tag says that this is the Euclidean norm. */
  isNorm: boolean;
}

const PLAIN_WORDS = new Set(
  "auto param params parameter parameters weight weights bias biases value values hist histogram histograms distribution tensor norm l train model net network".split(
    " ",
  ),
);
const OTHER_NORM = /(^|[^a-z0-9])(l1|1(\.0)?|inf|max)([^a-z0-9]|$)/i;

/**
 * Finds the weights that tags name. A part of a tag between slashes is a name, or one of both is the other with more modules in front:
 * `conv1.weight/auto` names `net.conv1.weight`. A part without a dot names nothing, nor does one that fits several weights.
 */
export class WeightNames {
  private readonly byName = new Map<string, number[]>();
  /** By the ends of names that begin after a dot; null where several names have this end. */
  private readonly byEnd = new Map<string, number[] | null>();

  constructor(structure: GraphStructure) {
    const { role, label, texts } = structure;
    const attribute = texts.indexOf(ATTRIBUTE);
    for (let node = 0; node < role.length; node++) {
      const name = isWeight(structure, node)
        ? texts[label[node]!]!
        : structure.type[node] === attribute
          ? attributeName(structure, node)
          : null;
      if (name === null) continue;
      const known = this.byName.get(name);
      if (known) known.push(node);
      else this.byName.set(name, [node]);
    }
    for (const [name, nodes] of this.byName)
      for (const end of endsOf(name)) this.byEnd.set(end, this.byEnd.has(end) || this.byName.has(end) ? null : nodes);
  }

  get isEmpty(): boolean {
    return this.byName.size === 0;
  }

  of(tag: string): NamedWeights | null {
    const parts = tag.split("/");
    for (const [index, part] of parts.entries()) {
      if (!part.includes(".")) continue;
      const bare = bareName(part);
      const nodes = this.find(part) ?? (bare === part ? null : this.find(bare));
      if (!nodes) continue;
      const ending = this.find(part) ? "" : part.slice(bare.length);
      const rest = [...parts.slice(0, index), ending, ...parts.slice(index + 1)].filter((word) => word !== "").join("/");
      return { nodes, quantity: quantityOf(rest), isNorm: /norm/i.test(rest) && !OTHER_NORM.test(rest) };
    }
    return null;
  }

  private find(part: string): number[] | null {
    const found = this.byName.get(part) ?? this.byEnd.get(part);
    if (found) return found;
    for (const end of endsOf(part)) if (end.includes(".") && this.byName.has(end)) return this.byName.get(end)!;
    return null;
  }
}

/** `Net/Conv2d[conv1]/weight/weight.3` reads `conv1.weight`; null for a node that reads a module. */
function attributeName({ scope, scope_parent, scope_label, label, texts }: GraphStructure, node: number): string | null {
  const last = scope[node]!;
  const name = texts[scope_label[last]!]!;
  const own = texts[label[node]!]!;
  if (last === 0 || (own !== name && !(own.startsWith(name + ".") && /^\d+$/.test(own.slice(name.length + 1))))) return null;
  const modules: string[] = [];
  for (let above = scope_parent[last]!; above > 0; above = scope_parent[above]!) {
    const module = /\[(.+)\]$/.exec(texts[scope_label[above]!]!);
    if (module) modules.unshift(module[1]!);
  }
  return [...modules, name].join(".");
}

function quantityOf(rest: string): Quantity | null {
  if (/grad/i.test(rest)) return "gradient";
  const words = rest.toLowerCase().match(/[a-z]+/g) ?? [];
  return words.every((word) => PLAIN_WORDS.has(word)) ? "parameter" : null;
}

/** `a.b.c` ends with `b.c` and `c`. */
function* endsOf(name: string): Generator<string> {
  for (let dot = name.indexOf("."); dot >= 0; dot = name.indexOf(".", dot + 1)) yield name.slice(dot + 1);
}
