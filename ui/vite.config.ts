// SPDX-License-Identifier: Apache-2.0
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { loadEnv } from "vite";
import { defineConfig } from "vitest/config";

const server = loadEnv("", ".", "MINDSCOPE_")["MINDSCOPE_SERVER"] ?? "http://127.0.0.1:8080";

export default defineConfig({
  plugins: [svelte()],
  build: {
    outDir: "dist/built",
    target: "es2022",
    assetsInlineLimit: 0,
    license: { fileName: "licenses.md" }, // of all packages whose code the page holds
    // few requests, since a page is drawn after its last piece of code has come; larger pieces merge what pages need with what they rarely need
    cssCodeSplit: false,
    rollupOptions: { output: { experimentalMinChunkSize: 6_000 } },
  },
  server: { port: 8119, proxy: { "/api": { target: server, changeOrigin: true } } },
  // a busy machine is slow, which says nothing about the code
  test: {
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: { name: "unit", include: ["src/**/*.test.ts"], exclude: ["src/**/*.component.test.ts"], environment: "node", css: true },
      },
      "./vitest.components.config.ts",
    ],
  },
});
