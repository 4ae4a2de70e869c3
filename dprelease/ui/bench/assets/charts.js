// Chooses the picture that suits a table and a view.

import { boxes } from "./boxes.js";
import { cells } from "./cells.js";
import { marks } from "./marks.js";
import { LETTER } from "./shades.js";
import { rows } from "./rows.js";
import { stairs } from "./stairs.js";
import { words } from "./tables.js";

const LOOKS = { boxes, span: boxes, stairs, words };
const MOST_PANELS = 12;

/** `scene`: {open, picture, draws, view, write, say, width, phone, colours}. Returns elements. */
export function charted(scene) {
  const { open, view } = scene;
  if (open.look === "words") return words(scene);
  if (view === "cells") return cells(scene);
  return (LOOKS[open.look] ?? (upright(scene) ? marks : rows))(scene);
}

/** Bars stand where cells add up and their labels have room under them. */
function upright({ open, width }) {
  if (!open.additive || open.panels.length > MOST_PANELS || open.cells.length < 2) return false;
  if (open.ordered || open.panels.length > 1) return true;
  const longest = Math.max(...open.cells.map(({ label }) => label.length));
  return longest * LETTER + 8 < (width - 40) / open.cells.length;
}
