// Error by cell: half of the range as a share of the number, in the order of the table.

import { h } from "./dom.js";

const LITTLE = 0.1;
const SOME = 0.25;

export function cells(scene) {
  const { open, phone, width } = scene;
  const list = h("ul", { class: "tiles" }, open.cells.map((_, i) => tile(scene, i, false)));
  const most = Math.max(1, Math.floor(width / (phone ? 84 : 77)));
  const own = open.panels.length > 1 ? open.panels[0].cells.length : 1;
  const panels = Math.min(Math.floor(most / own), Math.ceil(open.cells.length / own / 5));
  const across = own > 1 ? own * Math.max(panels, 1) : Math.floor(width / 90);
  list.style.gridTemplateColumns = `repeat(${Math.max(1, Math.min(across, most))}, minmax(0, 1fr))`;
  return [list];
}

/** One cell with its error; in a matrix it has no name of its own, and what is true stands beside it. */
export function tile({ open, picture, draws, write, view, panel }, i, inMatrix) {
  const value = picture.value[i];
  const error = picture.error[i];
  const noisy = picture.noisy[i];
  const shade = noisy ? "stop" : error === null || error <= LITTLE ? "" : error <= SOME ? "some" : "much";
  const size = Math.abs(value ?? 0);
  const figure = value === null ? "" : write.value(value, size);
  const tally = typeof open.true[i] === "number" && view !== "cells" ? write.value(open.true[i], size) : "";
  const parts = inMatrix
    ? [h("b", null, view === "hundred" && draws ? spread(draws, i, write) : figure, warned(noisy)), h("small", null, tally)]
    : [h("span", { title: panel(i) }, panel(i)), h("b", null, error === null ? "" : `± ${write.percent(error)}`, warned(noisy)), h("span", null, figure)];
  return h(inMatrix ? "div" : "li", { class: `tile ${shade}` }, parts, inMatrix && view === "cells" && error !== null && h("span", null, `± ${write.percent(error)}`));
}

function warned(noisy) {
  return noisy && h("span", { "aria-hidden": "true" }, " ⚠");
}

/** Between which numbers 95 of a hundred draws lie. */
function spread(draws, i, write) {
  const values = draws.map((draw) => draw[i]).filter((each) => typeof each === "number").sort((a, b) => a - b);
  const cut = Math.floor(values.length * 0.025);
  const [low, high] = [values[cut], values[values.length - 1 - cut]];
  return low === undefined ? "" : `${write.value(low, Math.abs(low))} … ${write.value(high, Math.abs(high))}`;
}
