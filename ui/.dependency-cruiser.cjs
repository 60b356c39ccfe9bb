// SPDX-License-Identifier: Apache-2.0
// The arrow of the client: kinds -> pages -> export -> widgets | charts | state, state -> api -> core, charts -> i18n | core. i18n and core
// are leaves. Inside of a layer, a folder imports only the folders that its row names. App.svelte and main.ts mount the frame
// and may import everything. Pages get the kinds and the routes from the context of App.svelte.
const layer = (name, allowed) => ({
  name: `${name}-arrow`,
  severity: "error",
  from: { path: `^src/${name}/` },
  to: { path: "^src/", pathNot: `^src/(${[name, ...allowed].join("|")})/` },
});

/** One rule for each folder of a layer; a file beside the folders breaks a rule too. */
const folders = (layerName, rows) => [
  { name: `${layerName}-folders`, severity: "error", from: {}, to: { path: `^src/${layerName}/[^/]+$` } },
  ...Object.entries(rows).map(([folder, allowed]) => ({
    name: `${layerName}-${folder}-arrow`,
    severity: "error",
    from: { path: `^src/${layerName}/${folder}/` },
    to: { path: `^src/${layerName}/`, pathNot: `^src/${layerName}/(${[folder, ...allowed].join("|")})/` },
  })),
];

module.exports = {
  forbidden: [
    { name: "no-circular", severity: "error", from: {}, to: { circular: true } },
    { name: "no-circular-folders", scope: "folder", severity: "error", from: {}, to: { circular: true } },
    layer("core", []),
    layer("i18n", ["core"]),
    layer("api", ["core"]),
    layer("charts", ["core", "i18n"]),
    layer("state", ["api", "core", "i18n"]),
    layer("widgets", ["core", "i18n"]),
    layer("export", ["widgets", "charts", "state", "core", "i18n"]),
    layer("kinds", ["pages", "widgets", "core", "i18n"]),
    {
      name: "kinds-load-pages-lazily",
      comment: "a kind is in the first download: its pages, previews and exports are not",
      severity: "error",
      from: { path: "^src/kinds/" },
      to: {
        path: "^src/(pages|widgets|export|charts)/",
        pathNot: "^src/pages/(previews/kind|frame/route)\\.ts$",
        dependencyTypesNot: ["dynamic-import"],
      },
    },
    layer("pages", ["export", "widgets", "charts", "state", "core", "i18n"]),
    ...folders("core", {
      messages: [],
      scales: [],
      text: [],
      scene: [],
      layout: ["scales", "text"],
      series: ["messages", "scales", "text"],
      lineage: ["messages", "scales", "text"],
      runs: ["lineage", "text"],
      tables: ["messages", "series", "runs", "lineage", "text"],
      debugger: ["runs", "lineage", "scales", "text"],
      graphs: ["debugger", "messages", "text"],
      landscapes: ["scene", "tables", "series", "messages", "scales", "text"],
      profiles: ["messages", "scales", "text"],
      embeddings: ["scene", "messages", "scales", "text"],
      view: [
        "debugger",
        "embeddings",
        "graphs",
        "landscapes",
        "scene",
        "tables",
        "runs",
        "lineage",
        "series",
        "messages",
        "scales",
        "text",
      ],
    }),
    ...folders("state", {
      requests: [],
      annotations: ["requests"],
      data: ["annotations", "requests"],
      view: ["data", "annotations", "requests"],
      charts: ["view", "data", "annotations", "requests"],
      live: ["charts", "view", "data", "annotations", "requests"],
    }),
    ...folders("charts", {
      frame: [],
      curves: ["frame"],
      histograms: ["frame"],
      heat: ["frame"],
      graphs: ["frame"],
      scene: ["frame"],
      landscapes: ["frame", "scene"],
      embeddings: ["frame", "scene"],
      profiles: ["frame", "heat"],
      coordinates: ["frame"],
      scatter: ["frame"],
      target: ["frame"],
      export: ["frame", "curves", "histograms", "heat", "graphs", "landscapes"],
    }),
    ...folders("widgets", {
      controls: [],
      cards: ["controls"],
      tables: ["controls", "cards"],
      feedback: ["controls", "cards"],
      layout: ["controls", "cards", "feedback"],
    }),
    {
      name: "saved-page-is-pure",
      comment: "export/html writes a file from values: it knows no state, no chart and no widget",
      severity: "error",
      from: { path: "^src/export/html/" },
      to: { path: "^src/", pathNot: "^src/(export/html|core|i18n|styles)/" },
    },
    {
      name: "core-is-pure",
      comment: "core knows no framework, no package, no DOM",
      severity: "error",
      from: { path: "^src/core/", pathNot: "\\.test\\.ts$" },
      to: { path: "node_modules|\\.svelte$" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "\\.css$" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: { extensions: [".ts", ".svelte.ts", ".svelte", ".js"], exportsFields: ["exports"] },
  },
};
