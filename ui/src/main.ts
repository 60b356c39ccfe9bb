// SPDX-License-Identifier: Apache-2.0
import "./styles/font.css";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/utilities.css";

import { mount } from "svelte";

import App from "./App.svelte";
import { viewerPath } from "./core/view/root";
import { aliasOf, routeOf } from "./kinds/routes";
import { settings } from "./state/view/settings.svelte";

// requested now, so that it comes while the frame is mounted; the page reports a failure
const path = viewerPath(location.pathname);
routeOf(aliasOf(path)?.split("?")[0] ?? path)
  .load()
  .catch(() => undefined);

const target = document.getElementById("app")!;

// a report shows cards through a frame of the viewer
if (parent !== window) void import("./export/frame/serveCards").then(({ serveCards }) => serveCards(parent));

void settings.apply().then(() => {
  target.replaceChildren();
  mount(App, { target });
});
