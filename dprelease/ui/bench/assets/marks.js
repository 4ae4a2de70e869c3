// Upright bars: a histogram, or one small chart for each panel of a cross table, all on the same axes.

import { h, s } from "./dom.js";
import { usable } from "./draws.js";
import { ticks } from "./numbers.js";
import { LETTER, canvas, drawing, range, short, solidity, text, truth } from "./shades.js";

const FEET = 26;
const HEAD = 12;

/** `scene`: {open, picture, draws, write, width, phone, colours}. Returns elements. */
export function marks(scene) {
  const { open, width, phone } = scene;
  const axis = scaled(scene);
  if (open.panels.length < 2) {
    const cells = open.panels.length ? open.panels[0].cells : open.true.map((_, i) => i);
    return [panel(scene, axis, cells, width, 280, 6)];
  }
  const across = phone ? 2 : Math.min(5, open.panels.length);
  const rows = Math.ceil(open.panels.length / across);
  const gap = 14;
  const wide = Math.floor((width - gap * (across - 1)) / across);
  const high = rows === 1 ? 264 : phone ? 170 : rows === 2 ? 104 : 96;
  const charts = open.panels.map((each) =>
    h("div", { class: "panel" }, titled(scene, each), panel(scene, axis, each.cells, wide, high, 3)),
  );
  const grid = h("div", { class: "panels" }, charts);
  grid.style.gridTemplateColumns = `repeat(${across}, ${wide}px)`;
  return [grid];
}

function titled({ picture, say }, { label, cells }) {
  const bad = cells.filter((i) => picture.noisy[i]).length;
  const chip = bad > 0 && h("span", { class: "chip stop" }, say("of_noisy", { count: bad, all: cells.length }), " ⚠");
  return h("p", { class: "panel-name" }, h("b", null, label), " ", chip);
}

/** From 0 (or a little below where the noise reaches there) to a little above the largest; ranges that leave it end in an arrow. */
function scaled({ open, picture }) {
  const fine = usable(picture);
  const numbers = (values) => values.filter((each, i) => fine[i] && typeof each === "number");
  const known = numbers(open.true);
  const from = known.length ? known : numbers(picture.value);
  const room = Math.max(...from, 0) * 1.17 || Math.max(...numbers(picture.upper), 1);
  const next = ticks(0, room * 1.06, 2).pop();
  const high = next > room ? next : room;
  const lowest = Math.min(0, ...from, ...numbers(picture.lower));
  const low = Math.max(lowest, Math.min(0, ...from) - 0.25 * high);
  return { low, high };
}

function panel(scene, { low, high }, cells, width, height, most) {
  const { open, write } = scene;
  const lines = ticks(low, high, low < 0 ? 3 : 2);
  const labels = lines.map((each) => write.value(each, high));
  const left = Math.max(...labels.map((each) => each.length)) * LETTER + 8;
  const band = (width - left) / cells.length;
  const plot = { left, band, wide: Math.min(band * 0.78, 46), top: HEAD, foot: height - FEET, low, high };
  plot.y = (value) => plot.foot - ((Math.min(Math.max(value, low), high) - low) / (high - low)) * (plot.foot - HEAD);
  const grid = lines.map((each, i) => [
    s("line", { x1: left, x2: width, y1: plot.y(each), y2: plot.y(each), class: each === 0 ? "base" : "grid" }),
    text(left - 7, plot.y(each) + 4, labels[i], "end", "tick"),
  ]);
  const feet = named(open, cells, plot, height);
  if (scene.draws) return layered(scene, cells, plot, width, height, [...grid, feet]);
  return drawing(width, height, grid, feet, cells.map((cell, place) => bar(scene, cell, place, plot, most)));
}

/** As many of the labels as have room. */
function named(open, cells, plot, height) {
  const longest = Math.max(...cells.map((i) => open.cells[i].label.length));
  const every = Math.max(1, Math.ceil((longest * LETTER + 5) / plot.band));
  return cells.map((i, place) => {
    if (place % every) return null;
    const { label } = open.cells[i];
    const x = plot.left + plot.band * (place + 0.5);
    return text(x, height - 8, short(label, plot.band * every + LETTER), "middle", "tick");
  });
}

function bar({ open, picture }, cell, place, plot, most) {
  const middle = plot.left + plot.band * (place + 0.5);
  const value = picture.value[cell];
  if (value === null) return [];
  const zero = plot.y(0);
  const end = plot.y(value);
  const noisy = picture.noisy[cell];
  const body = s("rect", {
    x: middle - plot.wide / 2,
    width: plot.wide,
    y: Math.min(zero, end),
    height: Math.max(Math.abs(zero - end), noisy ? 3 : 1),
    rx: Math.min(3, plot.wide / 4),
    class: solidity(picture, cell),
  });
  const over = Math.min(most, (plot.band - plot.wide) / 2 + 1);
  const half = plot.wide / 2 + over;
  const tally = open.true[cell];
  return [
    body,
    picture.lower[cell] === null ? [] : reach(picture.lower[cell], picture.upper[cell], middle, plot),
    typeof tally === "number" ? truth(middle - half, plot.y(tally), middle + half, plot.y(tally)) : [],
  ];
}

/** Where a range leaves the axis it ends in an arrow. */
function reach(lower, upper, middle, plot) {
  const goesOn = [lower < plot.low, upper > plot.high];
  return range(plot.y(lower), plot.y(upper), middle, Math.min(4, plot.wide / 4), true, goesOn);
}

/** A hundred strokes for each cell on a canvas, axes below it, true values above it. */
function layered({ open, draws, colours }, cells, plot, width, height, below) {
  const [sheet, brush] = canvas(width, height);
  brush.fillStyle = colours.noisy;
  brush.globalAlpha = 0.13;
  for (const draw of draws) {
    cells.forEach((cell, place) => {
      const value = draw[cell];
      if (value === null || value < plot.low || value > plot.high) return;
      brush.fillRect(plot.left + plot.band * (place + 0.5) - plot.wide / 2, plot.y(value) - 1.1, plot.wide, 2.2);
    });
  }
  const half = plot.wide / 2 + 4;
  const above = cells.map((cell, place) => {
    const middle = plot.left + plot.band * (place + 0.5);
    const y = typeof open.true[cell] === "number" ? plot.y(open.true[cell]) : null;
    return y === null ? [] : truth(middle - half, y, middle + half, y);
  });
  const layers = h("div", { class: "layers" }, drawing(width, height, below), sheet, drawing(width, height, above));
  layers.style.height = `${height}px`;
  return layers;
}
