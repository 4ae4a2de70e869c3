// Quantiles by group, and the span between two numbers: a box, its whiskers, and every number's range below it.

import { s } from "./dom.js";
import { axis, laid, strokes } from "./rows.js";
import { diamond, drawing, range, short, solidity, text } from "./shades.js";

export function boxes(scene) {
  const { open, picture } = scene;
  const groups = open.panels.length ? open.panels : [{ label: "", cells: open.cells.map((_, i) => i) }];
  const plot = laid(scene, groups, groups.map(({ label }) => label), []);
  const names = groups.map(({ label }, k) => text(0, plot.y(k) + 4, short(label, plot.left), "start"));
  const below = [axis(scene, plot), names];
  if (scene.draws) return [strokes(scene, groups.flatMap(({ cells }, k) => cells.map((cell) => [cell, plot.y(k)])), plot, below)];
  return [drawing(plot.width, plot.height, below, groups.map(({ cells }, k) => box(open, picture, cells, plot.y(k) - 4, plot.x)))];
}

function box(open, picture, cells, y, x) {
  const known = cells.filter((cell) => typeof picture.value[cell] === "number");
  if (!known.length) return [];
  const place = known.map((cell) => x(picture.value[cell])).sort((a, b) => a - b);
  const outer = known.length > 3 ? 1 : 0;
  const [from, to] = [place[outer], place[place.length - 1 - outer]];
  const least = ["too-noisy", "unknown", "noisy"].find((each) => known.some((cell) => solidity(picture, cell) === each));
  const whiskers = `M${place[0]} ${y}H${place[place.length - 1]}M${place[0]} ${y - 5}v10M${place[place.length - 1]} ${y - 5}v10`;
  const body = { x: from, y: y - 9, width: Math.max(to - from, 2), height: 18, rx: 3 };
  const middle = place.length % 2 && place.length > 1 ? place[(place.length - 1) / 2] : null;
  return [
    s("path", { d: whiskers, class: `whiskers ${least}` }),
    s("rect", { ...body, class: least }),
    middle !== null && s("line", { x1: middle, x2: middle, y1: y - 9, y2: y + 9, class: `median ${least}` }),
    known.filter((cell) => picture.lower[cell] !== null).map((cell) => range(x(picture.lower[cell]), x(picture.upper[cell]), y + 16, 3, false)),
    cells.filter((cell) => typeof open.true[cell] === "number").map((cell) => diamond(x(open.true[cell]), y, 7)),
  ];
}
