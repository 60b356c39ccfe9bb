// SPDX-License-Identifier: Apache-2.0
import { Group, PerspectiveCamera, Scene, Vector3, type BufferGeometry, type Object3D, type Points } from "three";

import type { Camera } from "../../core/scene/camera";
import { isPartial } from "../../core/landscapes/landscape";
import { tints } from "../../core/landscapes/colorMaps";
import { heightOf } from "../../core/landscapes/lossScale";
import { radiiOf } from "../../core/landscapes/path";
import { POINT } from "../../core/landscapes/surface";
import { hexToRgb, type Rgb } from "../../core/scales/colorMap";
import type { Size } from "../frame/plotFrame";
import { disposeAll, type Hex, type OrbitScene } from "../scene/orbitScene";
import { renderScene } from "../scene/sceneRenderer";
import { distinctSurfaces, lastColor, missingColor, planeRanges, type DrawnLandscape, type LandscapeLook } from "./drawnLandscape";
import { boxLines, boxOf, boxSegments, FLOOR, type Box, type BoxLabel } from "./surfaceBox";
import { surfaceGeometry, surfaceMesh } from "./surfaceMesh";
import { markPoints, pathLine, setPixelRatio, type Marks } from "./surfacePath";

const FIELD_OF_VIEW = 30;
const DISTANCE = 5.1;
/** Cells along a side of a surface that is drawn coarsely, while it turns. */
const COARSE_CELLS = 48;
const GRAB = 9;
/** Pictures of a shorter side have fewer labels. */
const SMALL = 320;

/** Landscapes in three dimensions. What belongs to one picture; the renderer is shared. */
export class SurfaceScene implements OrbitScene {
  readonly #scene = new Scene();
  readonly #camera = new PerspectiveCamera(FIELD_OF_VIEW, 1, 0.1, 60);
  readonly #all: readonly DrawnLandscape[];
  /** Those with a surface of their own. */
  readonly #surfaces: readonly DrawnLandscape[];
  readonly #look: LandscapeLook;
  readonly #box: Box;
  readonly #ranges: ReturnType<typeof planeRanges>;
  readonly #hex: Hex;
  readonly #marks = new Group();
  readonly #paths = new Group();
  #upTo: readonly number[] = [];
  readonly #fine = new Group();
  readonly #coarse = new Group();
  #walls: { key: string; labels: readonly BoxLabel[]; lines: Object3D } | null = null;
  #size: Size = { width: 1, height: 1 };

  constructor(all: readonly DrawnLandscape[], look: LandscapeLook, hex: Hex) {
    this.#all = all;
    this.#surfaces = distinctSurfaces(all);
    this.#look = look;
    this.#hex = hex;
    this.#ranges = planeRanges(all);
    this.#box = boxOf(this.#ranges, look.height);
    this.#scene.add(this.#fine, this.#coarse, this.#marks, this.#paths);
    for (const drawn of this.#surfaces) this.#add(drawn);
  }

  /** Draws the first checkpoints of each path in full, and the rest faintly. */
  showPaths(upTo: readonly number[]): void {
    this.#upTo = upTo;
    disposeAll(this.#paths);
    this.#paths.clear();
    if (!this.#look.hasPath) return;
    this.#all.forEach((drawn, index) => {
      for (const part of this.#path(drawn, upTo[index] ?? 0)) this.#paths.add(part);
    });
  }

  /** Labels of the box for the camera of the last picture. */
  get labels(): readonly BoxLabel[] {
    return this.#walls?.labels ?? [];
  }

  render(camera: Camera, size: Size, ratio: number, isCoarse: boolean): HTMLCanvasElement | null {
    this.#size = size;
    this.#place(camera);
    for (const mark of [...this.#marks.children, ...this.#paths.children]) setPixelRatio(mark, ratio);
    this.#fine.visible = !isCoarse;
    this.#coarse.visible = isCoarse;
    return renderScene(this.#scene, this.#camera, size, ratio);
  }

  /** A place of the box in CSS pixels, and how far away it is. */
  project(at: readonly [number, number, number]): { x: number; y: number; depth: number } {
    const place = new Vector3(...at).project(this.#camera);
    return { x: ((place.x + 1) / 2) * this.#size.width, y: ((1 - place.y) / 2) * this.#size.height, depth: place.z };
  }

  /** The checkpoint, else the frontmost point of a grid, near a place in CSS pixels. */
  nearest(x: number, y: number): { drawn: DrawnLandscape; point: number; checkpoint: number } | null {
    return this.#nearestCheckpoint(x, y) ?? this.#nearestPoint(x, y);
  }

  /** Where a point of a grid is, in CSS pixels. */
  placeOf(drawn: DrawnLandscape, point: number): { x: number; y: number; depth: number } {
    const { x, y } = drawn.landscape;
    const height = heightOf(drawn.scale, drawn.surface.losses[point]!);
    return this.project([
      this.#box.across(x[point % x.length]!),
      this.#box.up(Number.isNaN(height) ? 0 : height),
      this.#box.away(y[Math.floor(point / x.length)]!),
    ]);
  }

  dispose(): void {
    this.#walls = null;
    disposeAll(this.#scene);
  }

  #add(drawn: DrawnLandscape): void {
    const { x, y } = drawn.landscape;
    const stops = this.#surfaces.length > 1 ? tints(hexToRgb(this.#hex(drawn.color))) : this.#look.stops;
    const stride = Math.ceil(Math.max(x.length, y.length) / COARSE_CELLS);
    const fine = surfaceGeometry(drawn, this.#box, 1);
    this.#fine.add(surfaceMesh(fine, stops, this.#look));
    const coarse: BufferGeometry = stride > 1 ? surfaceGeometry(drawn, this.#box, stride) : fine;
    this.#coarse.add(surfaceMesh(coarse, stops, this.#look));
    for (const mark of this.#marksOf(drawn)) this.#marks.add(mark);
  }

  #marksOf(drawn: DrawnLandscape): Points[] {
    const { surface, landscape } = drawn;
    const { x, y } = landscape;
    const places: number[] = [];
    const colors: number[] = [];
    const dots: number[] = [];
    surface.state.forEach((state, point) => {
      const [across, away] = [this.#box.across(x[point % x.length]!), this.#box.away(y[Math.floor(point / x.length)]!)];
      const missing = missingColor(state, isPartial(landscape));
      if (missing) {
        places.push(across, FLOOR, away);
        colors.push(...unit(hexToRgb(this.#hex(missing))));
      } else if (this.#look.hasPoints && state === POINT.computed) {
        dots.push(across, this.#box.up(heightOf(drawn.scale, surface.losses[point]!)), away);
      }
    });
    const ink = unit(hexToRgb(this.#hex("var(--ink)")));
    const crosses = {
      places: Float32Array.from(places),
      radii: new Float32Array(places.length / 3).fill(crossRadius(x.length, y.length)),
      colors: Float32Array.from(colors),
    };
    const dotted = {
      places: Float32Array.from(dots),
      radii: new Float32Array(dots.length / 3).fill(0.6),
      colors: Float32Array.from(dots, (_, index) => ink[index % 3]!),
    };
    return [
      ...markPoints({ ...crosses, rim: ink, isCross: true, showsHidden: false }),
      ...markPoints({ ...dotted, rim: ink, isCross: false, showsHidden: false }),
    ];
  }

  #path(drawn: DrawnLandscape, upTo: number): Object3D[] {
    const { path, convergence } = drawn.landscape;
    const at = (x: number, y: number, loss: number): number[] => [
      this.#box.across(x),
      this.#box.up(heightOf(drawn.scale, Number.isNaN(loss) ? drawn.scale.low : loss)),
      this.#box.away(y),
    ];
    // on a surface in the color of the run, a line of that color would not be seen
    const color = this.#hex(this.#surfaces.length < this.#all.length ? drawn.color : "var(--series-3)");
    const [tint, rim] = [unit(hexToRgb(this.#hex(this.#all.length > 1 ? drawn.color : "var(--series-3)"))), PATH_RIM];
    const drawnPath: Object3D[] = [];
    if (path) {
      const places = Array.from(path.x, (x, index) => at(x, path.y[index]!, path.loss[index]!));
      const split = Math.max(1, upTo);
      drawnPath.push(
        ...pathLine(Float32Array.from(places.slice(split - 1).flat()), color, true),
        ...(upTo > 0 ? pathLine(Float32Array.from(places.slice(0, split).flat()), color, false) : []),
      );
      const shown = places.slice(0, upTo);
      const marks: Marks = {
        places: Float32Array.from(shown.flat()),
        radii: radiiOf(path).subarray(0, upTo),
        colors: Float32Array.from(shown.flat(), (_, index) => tint[index % 3]!),
        rim,
        isCross: false,
        showsHidden: true,
      };
      drawnPath.push(...markPoints(marks));
    }
    if (convergence && (!path || upTo === path.x.length)) {
      const end = at(convergence.x, convergence.y, convergence.loss);
      const colors = Float32Array.from(unit(hexToRgb(this.#hex(lastColor(this.#all.length > 1)))));
      const ends = markPoints({ places: Float32Array.from(end), radii: [4], colors, rim, isCross: false, showsHidden: true });
      // over the other checkpoints, which three.js else paints after it where their middle is nearer
      for (const mark of ends) mark.renderOrder += LAST_ORDER;
      drawnPath.push(...ends);
    }
    return drawnPath;
  }

  #place({ azimuth, elevation, zoom }: Camera): void {
    const { width, height } = this.#size;
    const [around, above] = [(azimuth * Math.PI) / 180, (elevation * Math.PI) / 180];
    const target = new Vector3(0, this.#box.top * 0.36, 0);
    const reach = Math.max(1, Math.hypot(1.41, this.#box.top / 2) / 1.6, 1.25 * (height / width));
    const distance = (DISTANCE * reach) / zoom;
    this.#camera.aspect = width / height;
    this.#camera.position
      .set(Math.cos(around) * Math.cos(above), Math.sin(above), -Math.sin(around) * Math.cos(above))
      .multiplyScalar(distance)
      .add(target);
    // from straight above, the second direction of the plane points up
    this.#camera.up.set(elevation > 89.9 ? -Math.cos(around) : 0, elevation > 89.9 ? 0 : 1, elevation > 89.9 ? Math.sin(around) : 0);
    this.#camera.lookAt(target);
    this.#camera.updateProjectionMatrix();
    this.#camera.updateMatrixWorld();
    this.#turnWalls(azimuth);
  }

  /** Walls stay at the back. */
  #turnWalls(azimuth: number): void {
    const count = Math.min(this.#size.width, this.#size.height) < SMALL ? 4 : 5;
    const key = `${Math.floor(azimuth)} ${count}`;
    if (this.#walls?.key === key) return;
    if (this.#walls) this.#scene.remove(this.#walls.lines);
    const [x, y] = this.#look.axes;
    const { lines, labels } = boxLines(this.#box, this.#ranges, this.#all[0]?.scale ?? null, azimuth, [x, y, this.#look.lossName], count);
    const drawn = boxSegments(lines, this.#hex("var(--hairline)"));
    this.#walls = { key, labels, lines: drawn };
    this.#scene.add(drawn);
  }

  #nearestCheckpoint(x: number, y: number): { drawn: DrawnLandscape; point: number; checkpoint: number } | null {
    let best: { drawn: DrawnLandscape; point: number; checkpoint: number } | null = null;
    let closest = GRAB;
    if (!this.#look.hasPath) return null;
    for (const [index, drawn] of this.#all.entries()) {
      const { path } = drawn.landscape;
      for (let checkpoint = 0; path && checkpoint < (this.#upTo[index] ?? 0); checkpoint++) {
        const height = heightOf(drawn.scale, path.loss[checkpoint]!);
        const at = this.project([this.#box.across(path.x[checkpoint]!), this.#box.up(height), this.#box.away(path.y[checkpoint]!)]);
        const away = Math.hypot(at.x - x, at.y - y);
        if (away < closest) [closest, best] = [away, { drawn, point: -1, checkpoint }];
      }
    }
    return best;
  }

  #nearestPoint(x: number, y: number): { drawn: DrawnLandscape; point: number; checkpoint: number } | null {
    let best: { drawn: DrawnLandscape; point: number; checkpoint: number } | null = null;
    let front = Infinity;
    for (const drawn of this.#surfaces) {
      const { x: columns, y: rows } = drawn.landscape;
      const reach = Math.max(GRAB, (0.6 * this.#size.width) / Math.max(columns.length, rows.length));
      for (let point = 0; point < columns.length * rows.length; point++) {
        const at = this.placeOf(drawn, point);
        const away = Math.hypot(at.x - x, at.y - y);
        // of the points near the pointer the one in front, slightly farther ones later
        const rank = at.depth + (0.02 * away) / reach;
        if (away < reach && rank < front) [front, best] = [rank, { drawn, point, checkpoint: -1 }];
      }
    }
    return best;
  }
}

/** Crosses of neighboring points do not touch. */
function crossRadius(columns: number, rows: number): number {
  return Math.min(3, Math.max(1, 64 / Math.max(columns, rows)));
}

/** From the order of the checkpoints to that of the last one. */
const LAST_ORDER = 2;
const PATH_RIM: readonly [number, number, number] = [1, 1, 1];

function unit([red, green, blue]: Rgb): [number, number, number] {
  return [red / 255, green / 255, blue / 255];
}
