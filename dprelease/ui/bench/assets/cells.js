// Error by cell: half of the range as a share of the number, in the order of the table.

import { h } from "./dom.js";

const LITTLE = 0.1;
const SOME = 0.25;

export function cells(scene) {
  const { open, phone, width } = scene;
  const list = h("ul", { class: "tiles" }, open.cells.map((_, i) => tile(scene, i)));
  const most = Math.max(1, Math.floor(width / (phone ? 84 : 77)));
  const own = open.panels.length > 1 ? open.panels[0].cells.length : 1;
  const panels = Math.min(Math.floor(most / own), Math.ceil(open.cells.length / own / 5));
  const across = own > 1 ? own * Math.max(panels, 1) : Math.floor(width / 90);
  list.style.gridTemplateColumns = `repeat(${Math.max(1, Math.min(across, most))}, minmax(0, 1fr))`;
  return [list];
}

/** One cell with its error. */
function tile({ picture, write, panel }, i) {
  const value = picture.value[i];
  const error = picture.error[i];
  const noisy = picture.noisy[i];
  const shade = noisy ? "stop" : error === null || error <= LITTLE ? "" : error <= SOME ? "some" : "much";
  const figure = typeof value === "number" ? write.value(value, Math.abs(value)) : (value ?? "");
  const off = h("b", null, error === null ? "" : `± ${write.percent(error)}`, warned(noisy));
  return h("li", { class: `tile ${shade}` }, h("span", { title: panel(i) }, panel(i)), off, h("span", null, figure));
}

function warned(noisy) {
  return noisy && h("span", { "aria-hidden": "true" }, " ⚠");
}
