// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { withOverrides, type OverridesByChart } from "./chartSettings";
import { AXES } from "../scales/axis";
import { FIGURES } from "../tables/figureTable";
import { DEFAULT_GRAPH_OPTIONS } from "../graphs/view/graphOptions";
import { TABLE_KINDS } from "../graphs/model/tableKinds";
import { OVERLAY_PHASES } from "../graphs/model/tensorOverlay";
import { GRAPH_COLORS, GRAPH_HIGHLIGHTS } from "./graphView";
import { COMPARISONS } from "./imageComparison";
import { CENTERS, SPREADS } from "../series/groupStatistics";
import { SHAPES } from "../series/histograms";
import { RUN_GROUPINGS } from "../runs/runTree";
import { DEFAULT_REACH, MOST_TOP, RAW_AS, SMOOTHERS } from "./scalarView";
import { DEFAULT_CAMERA } from "../scene/camera";
import { COLOR_MAPS } from "../landscapes/colorMaps";
import { COMPONENTS, LABELLED, METRICS, PROJECTIONS } from "./embeddingView";
import { FORMS } from "./landscapeView";
import { CHANGE_STATES, COMPARED } from "./profileDiffView";
import { MEMORY_GROUPS, MEMORY_PANELS } from "./profileParts";
import { PHASES, ROLES } from "../debugger/tensorRoles";
import { DEBUG_SHOWS, DEBUG_TABS, FINDING_PARTS, HIT_ORDERS } from "./debugView";
import { PROFILE_TABS, ROW_PARTS, TIMELINE_PANELS } from "./profileView";
import { TOP_BY } from "../series/topCurves";
import { DEFAULT_VIEW, queryToView, viewToQuery, type ViewState } from "./urlState";
import { brushes, columnLayouts, lineageViews, tableViews } from "./lineageArbitraries";
import { rowsViews } from "./profileRowsArbitrary";
import { TREE_BASES } from "./profileTrees";
import type { TableOrders } from "./tableOrders";
import { MEDIA_KINDS, TENSOR_MODES } from "./valueView";

const limit = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const name = fc.string({ minLength: 1, maxLength: 12, unit: "grapheme" }).filter((text) => text.isWellFormed());
const names = fc.uniqueArray(name, { maxLength: 4 });
const component = fc.integer({ min: 1, max: COMPONENTS });
const edges = fc
  .tuple(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e12, max: 1e12 }), fc.double({ min: 1e-3, max: 1e9, noNaN: true }))
  .map(([low, width]) => [low + 0, low + width] as const)
  .filter(([low, high]) => low < high);

const keys = fc.nat({ max: 0xffffffff }).map((hash) => hash.toString(36));
const ranges = fc.tuple(fc.integer(), fc.integer({ min: 1 })).map(([begin, length]): [number, number] => [begin, begin + length]);
const views: fc.Arbitrary<ViewState> = fc
  .record({
    runs: fc.option(fc.record({ base: fc.constantFrom("all" as const, "none" as const), except: names })),
    filter: fc.record({ text: name, isRegex: fc.boolean() }),
    axis: fc.constantFrom(...AXES),
    smoothing: fc.double({ min: 0, max: 0.999, noNaN: true }).map((weight) => weight + 0),
    isLog: fc.boolean(),
    flipped: names,
    fullTag: fc.option(name),
    zooms: fc.array(fc.tuple(name, fc.record({ x: edges, y: edges })), { maxLength: 3 }).map((pairs) => new Map(pairs)),
    isZoomedFull: fc.boolean(),
    lead: fc.option(name),
    isAllClosed: fc.boolean(),
    closed: names,
    report: fc.option(fc.string()),
    step: fc.option(fc.integer()),
    shape: fc.constantFrom(...SHAPES),
    scalars: fc
      .record({
        isLogX: fc.boolean(),
        xTag: fc.option(name),
        smoother: fc.constantFrom(...SMOOTHERS),
        reach: fc.double({ min: 0.001, max: 1e9, noNaN: true }),
        rawAs: fc.constantFrom(...RAW_AS),
        ignoresOutliers: fc.option(fc.boolean()),
        hasTables: fc.boolean(),
        own: fc
          .array(
            fc.tuple(
              name,
              fc.record({
                axis: fc.option(fc.constantFrom(...AXES)),
                smoothing: fc.option(fc.double({ min: 0, max: 0.999, noNaN: true }).map((weight) => weight + 0)),
                ignoresOutliers: fc.option(fc.boolean()),
                yAxes: fc.option(fc.constantFrom("one" as const, "own" as const)),
                limits: fc.tuple(fc.option(limit), fc.option(limit)),
                title: fc.string({ maxLength: 5 }),
                xTitle: fc.string({ maxLength: 5 }),
                yTitle: fc.string({ maxLength: 5 }),
                hasTable: fc.option(fc.boolean()),
              }),
            ),
            { maxLength: 3 },
          )
          .map((pairs) => pairs.reduce((own, [key, change]) => withOverrides(own, key, change), new Map() as OverridesByChart)),
        isLayout: fc.boolean(),
        showsHidden: fc.boolean(),
        isLinked: fc.boolean(),
        alignsStarts: fc.boolean(),
        offsets: fc.dictionary(name, fc.integer({ min: 1, max: 1e9 }), { maxKeys: 3, noNullPrototype: true }),
        tags: fc.option(
          fc
            .record({ base: fc.constantFrom("all" as const, "none" as const), except: names })
            .filter(({ base, except }) => base === "none" || except.length > 0),
        ),
        markedStep: fc.option(fc.integer()),
        topBy: fc.constantFrom(...TOP_BY),
        topCount: fc.nat({ max: MOST_TOP }),
        focus: names,
        composed: fc.array(fc.uniqueArray(name, { minLength: 1, maxLength: 3 }), { maxLength: 2 }),
      })
      .map((scalars) => ({ ...scalars, reach: scalars.smoother === "weight" ? DEFAULT_REACH : scalars.reach })),
    pictures: fc.record({
      picture: fc.nat(),
      brightness: fc.double({ min: 0, max: 3, noNaN: true }).map((factor) => factor + 0),
      contrast: fc.double({ min: 0, max: 3, noNaN: true }).map((factor) => factor + 0),
      scale: fc.constantFrom(null, 1, 2, 4, 8),
      gain: fc.constantFrom(1, 4, 16),
      comparison: fc.option(
        fc.oneof(
          fc.record({ by: fc.constantFrom(...COMPARISONS), step: fc.integer() }),
          fc.record({ by: fc.constantFrom(...COMPARISONS), run: fc.string() }),
        ),
      ),
    }),
    list: fc.record({
      filter: fc.record({ text: name, isRegex: fc.boolean() }),
      where: fc.oneof(fc.constant(""), name),
      brushes: fc.dictionary(name, fc.array(brushes, { minLength: 1, maxLength: 2 })).map((some) => new Map(Object.entries(some))),
      grouping: fc.constantFrom(...RUN_GROUPINGS),
      showsArchived: fc.boolean(),
      toggled: names,
      details: fc.option(name),
    }),
    lineage: lineageViews,
    logs: fc.array(fc.tuple(fc.constantFrom("log", "log_level", "log_filter"), name), { maxLength: 3 }),
    debug: fc.record({
      tab: fc.constantFrom(...DEBUG_TABS),
      part: fc.constantFrom(null, ...FINDING_PARTS),
      chosen: fc.option(fc.record({ run: fc.string(), source: fc.string() })),
      rank: fc.option(fc.nat()),
      step: fc.option(fc.integer()),
      show: fc.constantFrom(...DEBUG_SHOWS),
      filter: fc.oneof(fc.constant({ text: "", isRegex: false }), fc.record({ text: fc.string({ minLength: 1 }), isRegex: fc.boolean() })),
      phase: fc.option(fc.constantFrom(...PHASES)),
      role: fc.option(fc.constantFrom(...ROLES)),
      isNonFiniteOnly: fc.boolean(),
      sort: fc.option(fc.record({ column: fc.constantFrom("max_abs", "operator"), isDescending: fc.boolean() })),
      row: fc.option(fc.nat()),
      figure: fc.constantFrom("max_abs", "norm"),
      watchpoints: fc.option(
        fc.array(fc.record({ text: fc.constantFrom("dead_relu", "TL max_gt=1e4 @ encoder.*,-fc"), isOn: fc.boolean() }), { maxLength: 4 }),
      ),
      watched: fc.option(fc.string()),
      hitsBy: fc.constantFrom(...HIT_ORDERS),
      compare: fc.record({
        other: fc.option(fc.record({ run: fc.string(), source: fc.string() })),
        step: fc.option(fc.integer()),
        words: fc.string(),
        isDifferingOnly: fc.boolean(),
        sort: fc.option(fc.record({ column: fc.constantFrom("added", "level"), isDescending: fc.boolean() })),
        pair: fc.option(fc.record({ row: fc.nat(), otherRow: fc.nat() })),
        atol: fc.constantFrom(null, 0, 1e-9),
        rtol: fc.constantFrom(null, 0.25),
      }),
    }),
    profiles: fc.record({
      chosen: fc.option(fc.record({ run: fc.string(), profile: fc.string() })),
      tab: fc.constantFrom(...PROFILE_TABS),
      part: fc.constantFrom(...ROW_PARTS),
      range: fc.option(ranges),
      slice: fc.option(fc.nat()),
      area: fc.option(
        fc
          .tuple(ranges, fc.option(fc.uniqueArray(fc.nat(), { minLength: 1, maxLength: 4 })))
          .map(([[begin, end], tracks]) => ({ begin, end, tracks })),
      ),
      rows: rowsViews,
      columns: columnLayouts,
      modules: fc.record({ base: fc.constantFrom(...TREE_BASES), turned: fc.uniqueArray(keys, { maxLength: 3 }) }),
      flames: fc.option(keys).map((memory) => (memory === null ? {} : { memory })),
      panel: fc.constantFrom(...TIMELINE_PANELS),
      search: fc.oneof(fc.constant({ text: "", isRegex: false }), fc.record({ text: fc.string({ minLength: 1 }), isRegex: fc.boolean() })),
      closed: fc.uniqueArray(fc.string(), { maxLength: 3 }),
      compare: fc.record({
        baseline: fc.option(fc.record({ run: fc.string(), profile: fc.string() })),
        baselineSteps: fc.option(ranges),
        steps: fc.option(ranges),
        table: fc.constantFrom(...COMPARED),
        filter: fc.oneof(
          fc.constant({ text: "", isRegex: false }),
          fc.record({ text: fc.string({ minLength: 1 }), isRegex: fc.boolean() }),
        ),
        state: fc.constantFrom(...CHANGE_STATES),
        sort: fc.option(fc.record({ column: fc.constantFrom("name", "change_ms"), isDescending: fc.boolean() })),
        turned: fc.uniqueArray(keys, { maxLength: 3 }),
      }),
      memory: fc.record({
        device: fc.option(fc.string()),
        range: fc.option(ranges),
        time: fc.option(fc.nat()),
        by: fc.option(fc.constantFrom(...MEMORY_GROUPS)),
        isStacked: fc.boolean(),
        panel: fc.constantFrom(...MEMORY_PANELS),
        group: fc.option(fc.string()),
        block: fc.option(fc.nat()),
        page: fc.nat(),
        isAllocated: fc.boolean(),
      }),
      steps: fc.record({
        step: fc.option(fc.nat()),
        hidden: fc.option(fc.uniqueArray(fc.constantFrom("tail", "idle", "host"), { maxLength: 3 })),
        operation: fc.option(fc.string()),
      }),
      rankMetric: fc.constantFrom("own", "duration", "idle"),
      linkKind: fc.constantFrom("", "RDMA"),
      further: fc.string(),
      furtherRow: fc.option(fc.nat()),
      stream: fc.option(fc.string()),
      kernelWait: fc.nat({ max: 1000 }),
      orders: fc
        .option(fc.record({ key: fc.string({ minLength: 1 }), isDescending: fc.boolean() }))
        .map((steps): TableOrders => (steps ? { steps } : {})),
    }),
    embeddings: fc.record({
      run: fc.option(fc.string()),
      tag: fc.option(fc.string()),
      step: fc.option(fc.maxSafeInteger()),
      projection: fc.constantFrom(...PROJECTIONS),
      isFlat: fc.boolean(),
      axes: fc.tuple(component, component, component),
      perplexity: fc.integer({ min: 2, max: 50 }),
      neighbors: fc.integer({ min: 2, max: 100 }),
      seed: fc.integer({ min: 0, max: 999 }),
      color: fc.option(fc.string()),
      label: fc.option(fc.string()),
      labelled: fc.constantFrom(...LABELLED),
      hasImages: fc.boolean(),
      filter: fc.record({ text: name, isRegex: fc.boolean() }),
      metric: fc.constantFrom(...METRICS),
      listed: fc.integer({ min: 5, max: 500 }),
      selected: fc.option(fc.uniqueArray(fc.nat(), { maxLength: 4 })),
      isIsolated: fc.boolean(),
      hasPanel: fc.boolean(),
      camera: fc
        .tuple(
          fc.integer({ min: -1800, max: 1799 }),
          fc.integer({ min: -900, max: 900 }),
          fc.integer({ min: 200, max: 400_000 }),
          fc.integer({ min: -9999, max: 9999 }),
          fc.integer({ min: -9999, max: 9999 }),
        )
        .map(([azimuth, elevation, zoom, x, y]) => ({
          azimuth: azimuth / 10,
          elevation: elevation / 10,
          zoom: zoom / 1000,
          x: x / 1000,
          y: y / 1000,
        })),
    }),
    landscapes: fc.record({
      form: fc.constantFrom(...FORMS),
      isFilled: fc.boolean(),
      chosen: fc.option(fc.array(fc.record({ run: fc.string(), tag: fc.string() }), { maxLength: 3 })),
      isOverlaid: fc.boolean(),
      isShared: fc.boolean(),
      colors: fc.constantFrom(...COLOR_MAPS),
      isReversed: fc.boolean(),
      levels: fc.integer({ min: 2, max: 60 }),
      isLog: fc.boolean(),
      cut: fc.oneof(
        fc.constantFrom("auto" as const, "none" as const),
        fc.double({ noNaN: true, noDefaultInfinity: true }).map((cut) => cut + 0),
      ),
      height: fc.double({ min: 0.1, max: 4, noNaN: true }),
      opacity: fc.double({ min: 0.1, max: 1, noNaN: true }),
      light: fc.double({ min: 0, max: 1, noNaN: true }).map((light) => light + 0),
      hasPath: fc.boolean(),
      hasLines: fc.boolean(),
      hasPoints: fc.boolean(),
      camera: fc
        .tuple(fc.integer({ min: -1800, max: 1799 }), fc.integer({ min: 0, max: 900 }), fc.integer({ min: 400, max: 8000 }))
        .map(([azimuth, elevation, zoom]) => ({ azimuth: azimuth / 10, elevation: elevation / 10, zoom: zoom / 1000 })),
      window: fc
        .tuple(fc.integer({ min: 0, max: 49 }), fc.integer({ min: 51, max: 100 }), fc.integer({ min: 0, max: 49 }))
        .map(([left, right, bottom]) => ({ x: [left / 100, right / 100] as const, y: [bottom / 100, 1] as const })),
      step: fc.option(fc.integer()),
      hasPanel: fc.boolean(),
      full: fc.option(fc.string()),
    }),
    table: tableViews,
    sql: fc.record({
      statement: fc.string(),
      hasChart: fc.boolean(),
      x: fc.option(fc.string()),
      y: fc.option(fc.string()),
      by: fc.option(fc.string()),
    }),
    dataLineage: fc.record({
      isFolded: fc.boolean(),
      onlyDiffering: fc.boolean(),
      hasChart: fc.boolean(),
      stage: fc.option(fc.record({ column: fc.constantFrom("1", "3.1.2"), pipeline: fc.nat({ max: 999 }) })),
    }),
    values: fc.record({
      kind: fc.option(fc.constantFrom(...MEDIA_KINDS)),
      hasCurves: fc.boolean(),
      mode: fc.constantFrom(...TENSOR_MODES),
      slice: fc.option(fc.array(fc.constantFrom(":", "0", "-1", "::2", "2:8"), { minLength: 1, maxLength: 4 })),
      decimals: fc.option(fc.nat({ max: 17 })),
      isScientific: fc.boolean(),
      isWholeRange: fc.boolean(),
      isOfWhole: fc.boolean(),
      isPlain: fc.boolean(),
      rowsWhere: fc.string(),
      rowsSearch: fc.string(),
      rowsSort: fc.option(fc.record({ column: fc.constantFrom("0", "12"), isDescending: fc.boolean() })),
      otherStep: fc.option(fc.integer()),
      meshCamera: fc.constantFrom(DEFAULT_CAMERA, { azimuth: 10.5, elevation: -90, zoom: 2 }),
      isWireframe: fc.boolean(),
    }),
    dashboard: fc.record({
      run: fc.option(name),
      tags: fc.dictionary(fc.constantFrom("scalar", "image"), name, { noNullPrototype: true }),
    }),
    graphs: fc.record({
      run: fc.option(name),
      graph: fc.option(name),
      open: fc.option(name),
      unfolded: fc.oneof(fc.constant(""), name),
      node: fc.option(name),
      weight: fc.option(name),
      module: fc.option(name),
      highlight: fc.constantFrom(...GRAPH_HIGHLIGHTS),
      to: fc.option(name),
      table: fc.constantFrom(...TABLE_KINDS, "none" as const),
      otherRun: fc.option(name),
      otherGraph: fc.option(name),
      color: fc.constantFrom(...GRAPH_COLORS),
      step: fc.option(fc.maxSafeInteger()),
      phase: fc.constantFrom(...OVERLAY_PHASES),
      options: fc.record({
        parameters: fc.constantFrom("consumer" as const, "port" as const, "node" as const, "hidden" as const),
        constants: fc.constantFrom("consumer" as const, "node" as const, "hidden" as const),
        bridgePassThrough: fc.boolean(),
        hideGradient: fc.boolean(),
        hideOptimizer: fc.boolean(),
        stackFrom: fc.constantFrom(DEFAULT_GRAPH_OPTIONS.stackFrom, Infinity),
        joinsSingle: fc.boolean(),
      }),
    }),
    comparing: fc
      .record({
        grouping: fc.constantFrom("none" as const, "directory" as const, "ranks" as const, "parameter" as const),
        parameters: fc.uniqueArray(name, { minLength: 1, maxLength: 3 }),
        facet: fc.option(name),
        center: fc.constantFrom(...CENTERS),
        spread: fc.constantFrom(...SPREADS),
        baseline: fc.option(name),
        isTable: fc.boolean(),
        figures: fc.subarray([...FIGURES], { minLength: 1 }),
        showsEqual: fc.boolean(),
        isUnfolded: fc.boolean(),
        toggled: fc.uniqueArray(fc.string()),
      })
      .map((comparing) => ({ ...comparing, parameters: comparing.grouping === "parameter" ? comparing.parameters : [] })),
  })
  .map(({ isZoomedFull, ...view }) => {
    const [box] = view.zooms.values();
    return isZoomedFull && view.fullTag !== null && box ? { ...view, zooms: new Map([...view.zooms, [view.fullTag, box]]) } : view;
  });

/** -0 and 0 are the same place on an axis but not the same to toEqual. */
function normal(view: ViewState): unknown {
  return JSON.parse(JSON.stringify({ ...view, zooms: [...view.zooms] }));
}

describe("the state in the address bar", () => {
  it("comes back as it went in", () => {
    fc.assert(
      fc.property(views, (view) => {
        expect(normal(queryToView(viewToQuery(view)))).toEqual(normal(view));
      }),
    );
  });

  it("is written in one way only", () => {
    fc.assert(
      fc.property(views, (view) => {
        const query = viewToQuery(view);
        expect(viewToQuery(queryToView(query))).toBe(query);
      }),
    );
  });

  it("is empty for what everybody sees first", () => {
    expect(viewToQuery(DEFAULT_VIEW)).toBe("");
    expect(queryToView("")).toEqual(DEFAULT_VIEW);
  });

  it("is never broken by a broken link", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(queryToView(text).smoothing).toBeGreaterThanOrEqual(0);
      }),
    );
    expect(queryToView("axis=sideways&smoothing=much&full=a&zoom=1,2,3&runs=some")).toEqual({ ...DEFAULT_VIEW, fullTag: "a" });
    expect(queryToView("smoothing=7").smoothing).toBe(0.999);
    expect(queryToView("step=two&brightness=-3&contrast=x&swipe=&shape=cube&picture=-1&size=7")).toEqual({
      ...DEFAULT_VIEW,
      pictures: { ...DEFAULT_VIEW.pictures, brightness: 0 },
    });
    for (const zoom of ["2,1,0,1", "0,1,0", "0,1,,2", "0,1,0,Infinity", "a"]) expect(queryToView(`full=a&zoom=${zoom}`).zooms.size).toBe(0);
    expect(queryToView("zoom=0,1,0,1").zooms.size).toBe(0);
  });

  it("holds the box of every zoomed chart, whatever its tag", () => {
    const box = { x: [0, 1], y: [2, 3] };
    expect(queryToView("full=a&zoom=0,1,2,3&zoom=0,1,2,3,b,%20c").zooms).toEqual(
      new Map([
        ["a", box],
        ["b, c", box],
      ]),
    );
    expect(viewToQuery(queryToView("full=a&zoom=0,1,2,3,a"))).toBe("full=a&zoom=0%2C1%2C2%2C3");
  });

  it("names the runs of a link", () => {
    expect(queryToView("run=a/b&run=c").runs).toEqual({ base: "none", except: ["a/b", "c"] });
    expect(queryToView("runs=all&without=a").runs).toEqual({ base: "all", except: ["a"] });
    expect(queryToView("runs=none").runs).toEqual({ base: "none", except: [] });
  });
});
