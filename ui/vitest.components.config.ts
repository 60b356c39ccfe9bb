// SPDX-License-Identifier: Apache-2.0
import { defineProject, mergeConfig } from "vitest/config";

import { chromium } from "./tests/chromium.js";
import shared from "./vite.config";

export default mergeConfig(
  { ...shared, test: {} },
  defineProject({
    optimizeDeps: { include: ["d3-contour", "dompurify", "markdown-it", "three"] },
    test: {
      name: "component",
      include: ["src/**/*.component.test.ts"],
      testTimeout: 300_000,
      hookTimeout: 300_000,
      browser: {
        enabled: true,
        headless: true,
        screenshotFailures: false,
        viewport: { width: 1280, height: 800 },
        provider: "playwright",
        instances: [{ browser: "chromium", launch: { executablePath: chromium(), args: ["--no-sandbox", "--disable-gpu"] } }],
      },
    },
  }),
);
