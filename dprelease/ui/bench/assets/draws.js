// What would be published at an ε: the engine's own draw where there is one, else the same unit noise on another scale.

import { FAMILIES, reach, units } from "./noise.js";
import { between, nearest } from "./numbers.js";

/** A number is too noisy where half of its 95 % range is more than half of itself. */
export const TOO_NOISY = 0.5;
const DRAWS = 100;
const SAME = 1e-9;

/**
 * Of an opened table at ε, the `turn`-th draw since it came.
 * Returns value, lower, upper, error (half a range as a share of the value; null for words) and noisy, by cell;
 * `nearest`: the ε of the ladder that was taken instead, `own`: whether the engine drew it.
 */
export function pictured(open, epsilon, ladder, turn) {
  const own = turn === 0 && open.drawn !== null && Math.abs(open.drawn.epsilon - epsilon) < SAME;
  const made = own ? { ...open.drawn, near: null } : open.law ? byLaw(open, epsilon, ladder, turn) : byLadder(open, epsilon, turn);
  if (made === null) return null;
  const error = made.value.map((value, i) => share(value, made.lower[i], made.upper[i]));
  return { ...made, own, error, noisy: error.map((each) => each !== null && each > TOO_NOISY) };
}

function share(value, lower, upper) {
  if (typeof value !== "number" || lower === null || upper === null) return null;
  const half = (upper - lower) / 2;
  return half === 0 ? 0 : half / Math.abs(value);
}

function byLaw(open, epsilon, ladder, turn) {
  const { family, step, seed } = open.law;
  const scale = between(ladder, open.law.scale, epsilon);
  const half = reach(family, scale) * step;
  const value = drawn(open, family, scale, step, units(seed, turn, open.true.length));
  return {
    value,
    lower: value.map((each) => (each === null ? null : floor(open, each - half))),
    upper: value.map((each) => (each === null ? null : each + half)),
    near: null,
  };
}

function drawn(open, family, scale, step, noise) {
  return open.true.map((tally, i) => (tally === null ? null : floor(open, tally + step * FAMILIES[family](noise[i], scale))));
}

function floor(open, value) {
  return open.never_negative ? Math.max(0, value) : value;
}

function byLadder(open, epsilon, turn) {
  if (!open.ladder) return null;
  const place = nearest(open.ladder.epsilon, epsilon);
  const draws = open.ladder.draws[place];
  const value = draws[turn % draws.length];
  const half = value.map((each, i) => (typeof each === "number" ? spread(draws, i, open.true[i]) : null));
  return {
    value,
    lower: value.map((each, i) => (half[i] === null ? null : each - half[i])),
    upper: value.map((each, i) => (half[i] === null ? null : each + half[i])),
    near: open.ladder.epsilon[place],
  };
}

/** What 95 % of the draws keep within, of the tally or else of their middle. */
function spread(draws, cell, tally) {
  const values = draws.map((draw) => draw[cell]).filter((each) => typeof each === "number").sort((a, b) => a - b);
  const centre = typeof tally === "number" ? tally : values[values.length >> 1];
  const away = values.map((each) => Math.abs(each - centre)).sort((a, b) => a - b);
  return away[Math.min(away.length - 1, Math.ceil(0.95 * away.length) - 1)];
}

/** Hundred possible releases at ε: a list of values by cell each. */
export function hundred(open, epsilon, ladder) {
  if (!open.law) return open.ladder ? open.ladder.draws[nearest(open.ladder.epsilon, epsilon)] : [];
  const { family, step } = open.law;
  const scale = between(ladder, open.law.scale, epsilon);
  return noises(open).map((noise) => drawn(open, family, scale, step, noise));
}

const kept = new WeakMap();

/** The unit noise of the hundred, made once for an opened table. */
function noises(open) {
  if (!kept.has(open))
    kept.set(open, Array.from({ length: DRAWS }, (_, draw) => units(open.law.seed, draw, open.true.length)));
  return kept.get(open);
}
