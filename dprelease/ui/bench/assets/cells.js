// Error by cell: half of the range as a share of the number, in the order of the table.

import { h } from "./dom.js";

export function cells({ open, picture, write, phone, width }) {
  const size = Math.max(...picture.value.map(Math.abs));
  const tiles = picture.value.map((value, i) => {
    const { label, panel } = open.cells[i];
    const error = picture.error[i];
    const noisy = picture.noisy[i];
    const shade = noisy ? "stop" : error === null || error <= 0.1 ? "" : error <= 0.25 ? "some" : "much";
    return h(
      "li",
      { class: `tile ${shade}` },
      h("span", null, panel ? `${panel} ${label}` : label),
      h("b", null, error === null ? "" : `± ${write.percent(error)}`, noisy && h("span", { "aria-hidden": "true" }, " ⚠")),
      h("span", { class: "tile-value" }, value === null ? "" : write.value(value, size)),
    );
  });
  const list = h("ul", { class: "tiles" }, tiles);
  const across = open.panels.length > 1 ? open.panels[0].cells.length : Math.floor(width / 90);
  const fits = Math.min(Math.max(1, across), Math.floor(width / (phone ? 84 : 82)));
  list.style.gridTemplateColumns = `repeat(${Math.max(fits, 1)}, minmax(0, 1fr))`;
  return [list];
}
