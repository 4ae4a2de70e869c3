// The grammar of every chart: noisy is filled, or hollow where it cannot be used; true is a thick line with a halo, a range is thin and capped.

import { h, s } from "./dom.js";

/** About as wide as a letter of an axis, in pixels. */
export const LETTER = 6.1;

/** The class of a mark: filled where it can be used, hollow where it is too noisy or its range is not known. */
export function solidity(picture, cell) {
  return picture.noisy[cell] ? "too-noisy" : picture.lower[cell] === null ? "unknown" : "noisy";
}

/** A thin capped line from a to b across the other axis at c; upright or lying. An end that goes on has an arrow. */
export function range(a, b, c, cap, upright, goesOn = [false, false]) {
  const [first, last] = [a, b].map((end, i) => {
    const back = goesOn[i] ? Math.sign([b, a][i] - end) * cap : 0;
    return upright
      ? `M${c - cap} ${end + back}L${c} ${end}L${c + cap} ${end + back}`
      : `M${end + back} ${c - cap}L${end} ${c}L${end + back} ${c + cap}`;
  });
  const path = `${first}${upright ? `M${c} ${a}V${b}` : `M${a} ${c}H${b}`}${last}`;
  return [s("path", { d: path, class: "halo" }), s("path", { d: path, class: "range" })];
}

/** The line of a true value, from one end to the other. */
export function truth(x1, y1, x2, y2) {
  return [s("line", { x1, y1, x2, y2, class: "halo wide" }), s("line", { x1, y1, x2, y2, class: "true" })];
}

/** The mark of a true value that has no bar to cross. */
export function diamond(x, y, size) {
  const d = `M${x} ${y - size}L${x + size * 0.8} ${y}L${x} ${y + size}L${x - size * 0.8} ${y}Z`;
  return [s("path", { d, class: "halo" }), s("path", { d, class: "hollow" })];
}

export function text(x, y, said, anchor, more) {
  return s("text", { x, y, "text-anchor": anchor, class: more }, said);
}

/** A label cut to so many pixels. */
export function short(label, pixels) {
  const room = Math.floor(pixels / LETTER);
  return label.length > room ? `${label.slice(0, Math.max(room - 1, 1))}…` : label;
}

/** A drawing of so many pixels, for eyes only: the same is said in words beside it. */
export function drawing(width, height, ...children) {
  const frame = { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true", focusable: "false" };
  return s("svg", frame, ...children);
}

/** A canvas of so many pixels of the page, sharp on any screen. Returns it and its brush. */
export function canvas(width, height) {
  const dense = Math.min(window.devicePixelRatio || 1, 2);
  const sheet = h("canvas", { width: Math.round(width * dense), height: Math.round(height * dense), "aria-hidden": "true" });
  sheet.style.width = `${width}px`;
  sheet.style.height = `${height}px`;
  const brush = sheet.getContext("2d");
  brush.scale(dense, dense);
  return [sheet, brush];
}
