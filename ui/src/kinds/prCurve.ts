// SPDX-License-Identifier: Apache-2.0
import type { KindDescriptor } from "../pages/previews/kind";

const icon = "M2.5 2.5v11h11M4 4.5h3.5c3 0 4.5 2.5 5 6.5";

export const PR_CURVE: KindDescriptor = {
  kind: "pr_curve",
  title: "nav.prcurves",
  icon,
  pages: [
    {
      path: "/pr-curves",
      group: "data",
      name: "nav.prcurves",
      icon,
      load: () => import("../pages/prcurves/PrCurvesPage.svelte"),
      shows: ["pr_curve"],
    },
  ],
};
