// A row for each cell: a dot (or a bar, where cells add up) with its range, the true value, and the figures beside it.

import { h, s } from "./dom.js";
import { usable } from "./draws.js";
import { ticks } from "./numbers.js";
import { LETTER, canvas, diamond, drawing, range, short, solidity, text, truth } from "./shades.js";

const FEET = 30;

export function rows(scene) {
  const { open, picture } = scene;
  const several = open.panels.length > 1;
  const places = several ? open.panels.flatMap(({ label, cells }) => [label, ...cells]) : open.cells.map((_, i) => i);
  const figures = picture.value.map((_, i) => figure(scene, i));
  const told = [...figures, ...open.cells.map((_, i) => signed(scene, i))];
  const plot = laid(scene, places, open.cells.map(({ label }) => label), told);
  const at = places.flatMap((place, k) => (typeof place === "number" ? [[place, plot.y(k)]] : []));
  const names = places.map((place, k) =>
    typeof place === "number"
      ? [text(0, plot.y(k) + 4, short(open.cells[place].label, plot.left), "start"), ...beside(scene, place, plot, k, figures[place])]
      : text(0, plot.y(k) + 6, place, "start", "strong"),
  );
  const below = [axis(scene, plot), names];
  if (scene.draws) return [strokes(scene, at, plot, below)];
  return [drawing(plot.width, plot.height, below, at.map(([cell, y]) => mark(scene, cell, y, plot)))];
}

/** The figure of a row; of a coefficient, below it, in how many of the draws it has its true sign. */
function beside(scene, cell, { width, y }, k, number) {
  const sign = signed(scene, cell);
  if (!sign) return [text(width, y(k) + 4, number, "end")];
  return [text(width, y(k) - 3, number, "end"), text(width, y(k) + 11, sign, "end", "tick")];
}

/** What is said of the sign of a coefficient, where many draws are shown; nothing of a true 0. */
export function signed({ open, draws, say, write }, cell) {
  const tally = open.true[cell];
  if (!open.terms || !draws || typeof tally !== "number" || tally === 0) return "";
  const drawn = draws.map((draw) => draw[cell]).filter((each) => typeof each === "number");
  if (!drawn.length) return "";
  return say("sign", { share: write.percent(drawn.filter((each) => each * tally > 0).length / draws.length) });
}

/** Where things stand: labels left, figures right, the scale between. */
export function laid(scene, places, labels, figures) {
  const { width, phone } = scene;
  const longest = (texts) => Math.max(0, ...texts.map((each) => each.length)) * (LETTER + 0.7);
  const left = Math.min(longest(labels) + 14, width * (phone ? 0.3 : 0.34));
  const right = Math.min(longest(figures) + 14, width * 0.4);
  const step = places.length > 14 ? 28 : places.length > 7 || phone ? 36 : 46;
  const { low, high } = extent(scene);
  const wide = width - left - right;
  const x = (value) => left + ((Math.min(Math.max(value, low), high) - low) / (high - low)) * wide;
  return { low, high, left, right, step, width, height: places.length * step + FEET, x, y: (k) => (k + 0.5) * step };
}

/** About what is true of numbers that can be used, with some room; from 0 where that is near or bars are drawn. */
function extent({ open, picture }) {
  const fine = usable(picture);
  const numbers = (values) => values.filter((each, i) => fine[i] && typeof each === "number");
  const known = numbers(open.true);
  const from = known.length ? known : [0, ...numbers(picture.value)];
  const [least, most] = [Math.min(...from), Math.max(...from)];
  const room = 0.25 * (most - least || Math.abs(most) || 1);
  const near = open.additive || (least >= 0 && least - room < 0.4 * most);
  const low = near ? Math.min(0, least) : least - room;
  const reached = Math.min(...numbers(picture.lower));
  return { low: reached < low ? Math.max(reached, low - room) : low, high: most + room };
}

/** Upright lines at round numbers, named below. */
export function axis({ write, phone }, { low, high, x, width, right, left, height }) {
  const room = Math.max(1, Math.min(phone ? 3 : 5, Math.floor((width - left - right) / 70)));
  return ticks(low, high, room).map((each) => [
    s("line", { x1: x(each), x2: x(each), y1: 0, y2: height - FEET + 6, class: "grid" }),
    text(x(each), height - 8, write.value(each, Math.max(Math.abs(low), high)), "middle", "tick"),
  ]);
}

/** The number and how far off it may be. */
export function figure({ picture, write }, i) {
  const value = picture.value[i];
  if (typeof value !== "number") return "";
  const size = Math.abs(value);
  const half = picture.lower[i] === null ? "" : ` ± ${write.value((picture.upper[i] - picture.lower[i]) / 2, size)}`;
  return `${picture.noisy[i] ? "⚠ " : ""}${write.value(value, size)}${half}`;
}

function mark({ open, picture }, cell, y, { x, step, low, high }) {
  const value = picture.value[cell];
  const tally = open.true[cell];
  const noisy = picture.noisy[cell];
  const shape = solidity(picture, cell);
  const parts = [];
  if (value !== null && open.additive) {
    const [from, to] = [Math.min(x(0), x(value)), Math.max(x(0), x(value))];
    const tall = Math.min(18, step * 0.6);
    const body = { x: from, width: Math.max(to - from, noisy ? 3 : 1), y: y - tall / 2, height: tall, rx: 3 };
    parts.push(s("rect", { ...body, class: shape }));
  }
  if (value !== null && picture.lower[cell] !== null)
    parts.push(range(x(picture.lower[cell]), x(picture.upper[cell]), y, 5, false, [picture.lower[cell] < low, picture.upper[cell] > high]));
  if (value !== null && !open.additive) parts.push(s("circle", { cx: x(value), cy: y, r: 6.5, class: `dot ${shape}` }));
  if (typeof tally === "number") parts.push(open.additive ? truth(x(tally), y - 13, x(tally), y + 13) : diamond(x(tally), y, 9));
  return parts;
}

/** A hundred strokes for each row on a canvas, names and axis below it, true values above it. `at`: cells and their y. */
export function strokes({ open, draws, colours }, at, { x, low, high, step, width, height }, below) {
  const [sheet, brush] = canvas(width, height);
  const half = Math.min(10, step * 0.36);
  brush.fillStyle = colours.noisy;
  brush.globalAlpha = 0.13;
  for (const draw of draws)
    for (const [cell, y] of at) {
      const value = draw[cell];
      if (value !== null && value >= low && value <= high) brush.fillRect(x(value) - 1.1, y - half, 2.2, 2 * half);
    }
  const known = at.filter(([cell]) => typeof open.true[cell] === "number");
  const above = known.map(([cell, y]) => truth(x(open.true[cell]), y - half - 3, x(open.true[cell]), y + half + 3));
  const layers = h("div", { class: "layers" }, drawing(width, height, below), sheet, drawing(width, height, above));
  layers.style.height = `${height}px`;
  return layers;
}
