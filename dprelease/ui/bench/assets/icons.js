// Small line drawings, 24 by 24.

import { s } from "./dom.js";

const PATHS = {
  bars: "M3 20v-8h4v8M10 20V5h4v15M17 20v-10h4v10M1.5 20h21",
  rows: "M4 2.5v19M4 4.5h10v4H4M4 10h15v4H4M4 15.5h7v4H4",
  dots: "M2 6h4M10 6h12M2 12h11M17 12h5M2 18h6M12 18h10M6 6a2 2 0 1 0 4 0a2 2 0 1 0-4 0M13 12a2 2 0 1 0 4 0a2 2 0 1 0-4 0M8 18a2 2 0 1 0 4 0a2 2 0 1 0-4 0",
  table: "M3 3h18v18H3zM3 9h18M3 15h18M9 3v18M15 3v18",
  words: "M4 6h16M4 12h10M4 18h13",
  steps: "M3 20h5v-6h5V9h5V4h3",
  box: "M2 12h4M18 12h4M6 7h12v10H6zM11 7v10",
  edit: "M4 20l1-5L16.5 3.5l4 4L9 19zM14 6l4 4",
  up: "M12 20V5M6 11l6-6 6 6",
  down: "M12 4v15M6 13l6 6 6-6",
  remove: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5",
};

export function icon(kind) {
  const frame = { viewBox: "0 0 24 24", width: 20, height: 20, class: "icon", "aria-hidden": "true", focusable: "false" };
  return s("svg", frame, s("path", { d: PATHS[kind] ?? PATHS.bars }));
}
