// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import openapi from "../../openapi.json";
import { MEDIA_KINDS } from "../core/view/valueView";
import { KINDS } from ".";
import { aliasOf, ROUTES, routeOf } from "./routes";

const API_KINDS: readonly string[] = openapi.components.schemas.Kind.enum;

describe("the kinds of data", () => {
  it("are each described once", () => {
    const names = KINDS.map(({ kind }) => kind);
    expect(new Set(names).size).toBe(names.length);
  });

  it("are named as in the API in requests for runs", () => {
    const asked = KINDS.flatMap(({ kind, count, card, pages = [] }) => [
      ...(count || card?.isTagged ? [kind] : []),
      ...pages.flatMap(({ shows = [] }) => shows),
    ]);
    expect(asked.filter((kind) => !API_KINDS.includes(kind))).toEqual([]);
  });

  it("say how the page of media shows them, where it does", () => {
    expect(KINDS.flatMap(({ kind, media }) => (media ? [kind] : [])).sort()).toEqual([...MEDIA_KINDS].sort());
  });

  it("say how much there is of what a card previews", () => {
    const mute = KINDS.filter(({ count, card }) => card?.preview && !card.amount && !count);
    expect(mute).toEqual([]);
  });

  it("put into a saved page what a card previews", () => {
    expect(KINDS.filter(({ card }) => card?.preview && !card.saved).map(({ kind }) => kind)).toEqual([]);
  });
});

describe("the pages", () => {
  it("have an address each", () => {
    const paths = ROUTES.map(({ path }) => path);
    expect(new Set(paths).size).toBe(paths.length);
    for (const route of ROUTES) expect(routeOf(route.path)).toBe(route);
  });

  it("are all of a kind, but the runs, the dashboard, the reports, the query, the logs and what is not found", () => {
    expect(ROUTES.filter(({ shows }) => !shows).map(({ path }) => path)).toEqual(["/", "/dashboard", "/reports", "/query", "/logs"]);
    expect(routeOf("/nowhere").path).toBe("");
  });

  it.each([
    ["/runs", "/"],
    ["/compare", "/scalars"],
    ["/lineage", "/"],
    ["/lineage/models", "/"],
    ["/profiling", "/profile"],
  ])("the guessed or kept address %s leads to %s", (path, page) => {
    expect(routeOf(path).path).toBe("");
    expect(routeOf(aliasOf(path)!.split("?")[0]!).path).toBe(page);
  });

  it.each([
    ["/images", "image"],
    ["/texts", "text"],
    ["/audio", "audio"],
    ["/video", "video"],
    ["/tables", "table"],
    ["/html", "html"],
    ["/meshes", "mesh"],
    ["/tensors", "tensor"],
  ])("the former page %s is the page of media with its kind chosen", (path, kind) => {
    expect(aliasOf(path, "run=a&step=3&full=x")).toBe(`/media?run=a&step=3&full=x&kind=${kind}`);
  });

  it("keep the state of an address that leads to another one", () => {
    expect(aliasOf("/lineage/models", "run=a%2Fb")).toBe("/?run=a%2Fb&lineage_chart=coordinates");
    expect(aliasOf("/lineage/models", "lineage_chart=heat")).toBe("/?lineage_chart=heat");
    expect(aliasOf("/profiling", "profile_tab=memory")).toBe("/profile?profile_tab=memory");
    expect(aliasOf("/profile", "run=a&profile_tab=pipeline&profile_step=2")).toBe("/graph/dataset?run=a&profile_step=2");
    expect(aliasOf("/profile", "profile_tab=memory")).toBeNull();
  });

  it("have no alias", () => {
    expect(ROUTES.filter(({ path }) => aliasOf(path) !== null)).toEqual([]);
    expect(aliasOf("/nowhere")).toBeNull();
  });
});
