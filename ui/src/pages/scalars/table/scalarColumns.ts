// SPDX-License-Identifier: Apache-2.0
import "../groupWords";
import { plainCell, type ParameterCell } from "../../../core/lineage/parameterTable";
import type { RunFacts } from "../../../core/runs/runTable";
import { arrangedColumns } from "../../../core/tables/columnLayout";
import { figureColumns, figureTable, figureText, type FigureColumn, type FigureRow } from "../../../core/tables/figureTable";
import type { FigureLine } from "../../../core/tables/groupFigures";
import type { TableColumn } from "../../../core/tables/tableColumn";
import { formatValue } from "../../../core/text/format";
import { t } from "../../../i18n/i18n.svelte";
import { comparison, type Statistics } from "../../../state/charts/groupComparison.svelte";
import { runs } from "../../../state/data/runs.svelte";
import { modelLineage } from "../../../state/view/modelLineage.svelte";
import { selection } from "../../../state/view/selection.svelte";
import { view } from "../../../state/view/view.svelte";
import { runColumns, type RunColumn } from "../../runs/runColumns";

/** A column of the comparison: one of the table of runs, or a figure of a tag. */
export interface ScalarColumn extends TableColumn, FigureColumn {
  /** Null for a figure. */
  run: RunColumn | null;
}

/** What the page shows by itself: parameters that differ between the selected runs, figures of each tag first. */
export function ownColumns(tags: readonly string[]): string[] {
  const { showsEqual, figures } = view.comparing;
  const parameters = (comparison.table?.columns ?? []).filter(({ differs }) => differs || showsEqual).map(({ key }) => key);
  return [...figureColumns(tags, figures).map(({ key }) => key), ...parameters];
}

/** The columns of the table in their order. */
export function scalarColumns(own: readonly string[], tags: readonly string[]): ScalarColumn[] {
  const figures = new Map(figureColumns(tags, view.comparing.figures).map((column) => [column.key, column]));
  const differing = new Map((comparison.table?.columns ?? []).map(({ key, differs }) => [key, differs]));
  let parameter = -1;
  return arrangedColumns(own, view.table, [...figures.keys()]).flatMap((id): ScalarColumn[] => {
    const figure = figures.get(id);
    if (figure) return [ofFigure(figure)];
    return runColumns([id]).map((run) => {
      const differs = differing.get(id) ?? run.differs;
      return { ...run, isDrawn: run.isDrawn || comparison.isGrouped, differs, run, key: id, parameter: ++parameter, tag: -1, figure: null };
    });
  });
}

function ofFigure(column: FigureColumn): ScalarColumn {
  const title = t(`compare.figure_${column.figure!}`);
  const band = { key: `tag ${column.title}`, title: column.title, mark: null };
  return {
    ...column,
    id: column.key,
    title,
    label: `${column.title} ${title}`,
    band,
    isNumber: true,
    isDrawn: comparison.isGrouped,
    differs: true,
    run: null,
  };
}

/** A row for each selected run, sorted. */
export function scalarRows(columns: readonly ScalarColumn[], series: Statistics["series"]): FigureRow[] {
  const own = columns.flatMap(({ run }) => run ?? []);
  const parameters = new Map(selection.shown.map((run) => [run, own.map(({ cell }) => plainCell(cell(runs.byId.get(run)!)))] as const));
  return figureTable(selection.shown, columns, { parameters, series }, view.table.sort);
}

/** The facts of the run of a line, or of those of its group together. */
export function factsOf(line: FigureLine): RunFacts {
  return line.kind === "run" ? runs.byId.get(line.run)! : comparison.groupFacts.get(line.group)!;
}

/** What a group is sorted by in a column of the table of runs: a value that its runs share, or the least setting. */
export function groupSetting(group: string, { run }: ScalarColumn): ParameterCell {
  const facts = comparison.groupFacts.get(group);
  return run && facts ? plainCell(modelLineage.sortCell(run.id, facts)) : null;
}

/** A cell in words; `place` is that of its column. */
export function cellText(line: FigureLine, { run }: ScalarColumn, place: number): string {
  if (run) return run.text(factsOf(line));
  if (line.kind === "run") return figureText(line.cells[place] ?? null, true);
  const { value, deviation } = line.cells[place]!;
  const words = figureText(value, true);
  return deviation === null ? words : `${words} ± ${formatValue(deviation, 3)}`;
}

/** All of a cell: a whole value, or between what its runs are. */
export function cellTip(line: FigureLine, { run }: ScalarColumn, place: number): string {
  if (run) return (run.tip ?? run.text)(factsOf(line));
  if (line.kind === "run") return String(line.cells[place] ?? "");
  const { low, high, count } = line.cells[place]!;
  return low === null ? "" : t("compare.among", { low: formatValue(low, 5), high: formatValue(high, 5), n: count });
}
