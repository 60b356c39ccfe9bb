// SPDX-License-Identifier: Apache-2.0
import type { KindDescriptor } from "../pages/previews/kind";
import { MEDIA_PAGE } from "./media";

const icon = "M3 4h10M3 7h10M3 10h10M3 13h6";

export const TEXT: KindDescriptor = {
  kind: "text",
  title: "nav.texts",
  icon,
  count: "kind.text",
  pages: [MEDIA_PAGE],
};
