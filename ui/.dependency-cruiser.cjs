// SPDX-License-Identifier: Apache-2.0
// The arrow of the client: pages -> widgets | charts | state | saved, state -> api -> core, charts | saved -> core. i18n
// and core are leaves. App.svelte and main.ts mount the frame and may see everything.
const layer = (name, allowed) => ({
  name: `${name}-arrow`,
  severity: "error",
  from: { path: `^src/${name}/` },
  to: { path: "^src/", pathNot: `^src/(${[name, ...allowed].join("|")})/` },
});

module.exports = {
  forbidden: [
    { name: "no-circular", severity: "error", from: {}, to: { circular: true } },
    layer("core", []),
    layer("i18n", ["core"]),
    layer("api", ["core"]),
    layer("charts", ["core"]),
    layer("state", ["api", "core", "i18n"]),
    layer("saved", ["core", "i18n"]),
    layer("widgets", ["core", "i18n"]),
    layer("pages", ["widgets", "charts", "state", "saved", "core", "i18n"]),
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
