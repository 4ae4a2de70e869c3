// A share up to each value, as a staircase with its band; one for each panel.

import { h, s } from "./dom.js";
import { ticks } from "./numbers.js";
import { LETTER, canvas, drawing, text } from "./shades.js";

const FEET = 26;
const HEAD = 12;

export function stairs(scene) {
  const { open, width, phone } = scene;
  const groups = open.panels.length ? open.panels : [{ label: "", cells: open.cells.map((_, i) => i) }];
  if (groups.length === 1) return [staircase(scene, groups[0].cells, width, 280)];
  const across = Math.min(phone ? 1 : 3, groups.length);
  const wide = Math.floor((width - 16 * (across - 1)) / across);
  const charts = groups.map(({ label, cells }) =>
    h("div", { class: "panel" }, h("p", { class: "panel-name" }, h("b", null, label)), staircase(scene, cells, wide, 200)),
  );
  const grid = h("div", { class: "panels" }, charts);
  grid.style.gridTemplateColumns = `repeat(${across}, ${wide}px)`;
  return [grid];
}

function staircase({ open, picture, draws, write, colours }, cells, width, height) {
  const starts = cells.map((i, place) => open.cells[i].start ?? place);
  const last = cells.length - 1;
  const end = Math.max(open.cells[cells[last]].end ?? last + 1, starts[last] + (starts[last] - starts[0]) / Math.max(last, 1));
  const high = Math.max(1, ...open.true.filter((each) => typeof each === "number"));
  const left = 44;
  const x = (value) => left + ((value - starts[0]) / (end - starts[0] || 1)) * (width - left - 6);
  const y = (value) => height - FEET - (Math.min(Math.max(value, -0.05), high * 1.06) / (high * 1.06)) * (height - FEET - HEAD);
  const lines = ticks(0, high, 2).map((each) => [
    s("line", { x1: left, x2: width, y1: y(each), y2: y(each), class: each ? "grid" : "base" }),
    text(left - 7, y(each) + 4, high > 1 ? write.value(each, high) : write.percent(each), "end", "tick"),
  ]);
  const every = Math.max(1, Math.ceil((Math.max(...cells.map((i) => open.cells[i].label.length)) * LETTER + 8) / ((width - left) / cells.length)));
  const feet = cells.map((i, place) => (place % every ? null : text(Math.max(x(starts[place]), left), height - 8, open.cells[i].label, place ? "middle" : "start", "tick")));
  const steps = (values) => path(values, cells, starts, end, x, y);
  const tally = s("path", { d: steps(open.true), class: "halo" });
  const truth = [tally, s("path", { d: steps(open.true), class: "true line" })];
  if (!draws) {
    const band = area(picture, cells, starts, end, x, y);
    return drawing(width, height, lines, feet, s("path", { d: band, class: "band" }), s("path", { d: steps(picture.value), class: "curve" }), truth);
  }
  const [sheet, brush] = canvas(width, height);
  brush.strokeStyle = colours.noisy;
  brush.globalAlpha = 0.13;
  brush.lineWidth = 1.6;
  for (const draw of draws) brush.stroke(new Path2D(steps(draw)));
  const layers = h("div", { class: "layers" }, drawing(width, height, lines, feet), sheet, drawing(width, height, truth));
  layers.style.height = `${height}px`;
  return layers;
}

/** Level from each value to the next; broken where one is not known. */
function path(values, cells, starts, end, x, y) {
  let d = "";
  cells.forEach((cell, place) => {
    const value = values[cell];
    if (typeof value !== "number") return;
    const joined = place && typeof values[cells[place - 1]] === "number" ? "V" : `M${x(starts[place])} `;
    d += `${joined}${y(value)}H${x(starts[place + 1] ?? end)}`;
  });
  return d;
}

function area({ lower, upper }, cells, starts, end, x, y) {
  return cells
    .map((cell, place) => {
      if (lower[cell] === null || lower[cell] === undefined) return "";
      const [from, to] = [x(starts[place]), x(starts[place + 1] ?? end)];
      return `M${from} ${y(lower[cell])}H${to}V${y(upper[cell])}H${from}Z`;
    })
    .join("");
}
