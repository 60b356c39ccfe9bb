// SPDX-License-Identifier: Apache-2.0
import type { ModuleFigure, ModuleTree } from "../../../core/profiles/moduleTree";
import type { TableColumn } from "../../../core/tables/tableColumn";
import { columnTitle, type FigureKind } from "./rowColumns";

export type ModuleColumn = TableColumn & { figure: ModuleFigure | "share"; kind: FigureKind };

const FIGURES: readonly { figure: ModuleFigure; title: string; kind: FigureKind }[] = [
  { figure: "count", title: "count", kind: "count" },
  { figure: "device_total_ns", title: "device_total", kind: "ns" },
  { figure: "device_self_ns", title: "device_self", kind: "ns" },
  { figure: "host_total_ns", title: "host_total", kind: "ns" },
  { figure: "host_self_ns", title: "host_self", kind: "ns" },
  { figure: "backward_ns", title: "backward", kind: "ns" },
  { figure: "flops", title: "flops", kind: "count" },
  { figure: "memory_bytes", title: "memory_bytes", kind: "bytes" },
];

/** The figures that were recorded, after the share of the time. */
export function moduleColumns(tree: ModuleTree): ModuleColumn[] {
  return [
    { ...plain("share"), figure: "share", kind: "share", isDrawn: true, width: 128 },
    ...FIGURES.filter(({ figure }) => tree.columns[figure] !== null).map(({ figure, title, kind }) => ({
      ...plain(figure, title),
      figure,
      kind,
    })),
  ];
}

export function isModuleFigure(column: string): column is ModuleFigure {
  return FIGURES.some(({ figure }) => figure === column);
}

function plain(id: string, title = id): TableColumn {
  return { id, title: columnTitle(title), band: null, isNumber: true, differs: true, descendsFirst: true };
}
