// What would be published at an ε: the engine's own draw where there is one, else the same unit noise on another scale.

import { FAMILIES, reach, seedOf, units } from "./noise.js";
import { between, nearest } from "./numbers.js";

/** A number is too noisy where half of its 95 % range is more than half of itself. */
export const TOO_NOISY = 0.5;
const DRAWS = 100;
const SAME = 1e-9;

/**
 * Of an opened table at ε, the `turn`-th draw since it came; `drawn` is the engine's, where that is the latest.
 * Returns value, lower, upper, error (half a range as a share of the value; null for words) and noisy, by cell;
 * `nearest`: the ε of the ladder that was taken instead, `own`: whether the engine drew it.
 */
export function pictured(open, drawn, epsilon, ladder, turn) {
  const own = Boolean(drawn) && Math.abs(drawn.epsilon - epsilon) < SAME;
  const made = own ? ranged(open, drawn) : open.law ? byLaw(open, epsilon, ladder, turn) : byLadder(open, epsilon, turn);
  if (made === null) return null;
  const error = made.value.map((value, i) => share(value, made.lower[i], made.upper[i]));
  return { ...made, own, error, noisy: error.map((each) => each !== null && each > TOO_NOISY) };
}

/** The engine's draw; of numbers that are published without a range, with that of the ladder's draws. */
function ranged(open, drawn) {
  if (!open.ladder || drawn.lower.some((each) => each !== null)) return { ...drawn, near: null };
  const draws = open.ladder.draws[nearest(open.ladder.epsilon, drawn.epsilon)];
  return { ...drawn, ...around(drawn.value, (i) => spread(draws, i, open.true[i])), near: null };
}

function share(value, lower, upper) {
  if (typeof value !== "number" || lower === null || upper === null) return null;
  const half = (upper - lower) / 2;
  return half === 0 ? 0 : half / Math.abs(value);
}

function byLaw(open, epsilon, ladder, turn) {
  const { family, step } = open.law;
  const scale = between(ladder, open.law.scale, epsilon);
  if (scale === null) return null; // the plan cannot be paid at this ε
  const half = reach(family, scale) * step;
  const value = noised(open, family, scale, step, units(seedOf(open.name), turn, open.true.length));
  return { value, ...around(value, () => half), near: null };
}

function noised(open, family, scale, step, noise) {
  return open.true.map((tally, i) => (tally === null ? null : tally + step * FAMILIES[family](noise[i], scale)));
}

/** The ends of ranges, of which half is known by cell; null where none is. */
function around(value, half) {
  const halves = value.map((each, i) => (typeof each === "number" ? half(i) : null));
  const ends = (sign) => value.map((each, i) => (halves[i] === null ? null : each + sign * halves[i]));
  return { lower: ends(-1), upper: ends(1) };
}

function byLadder(open, epsilon, turn) {
  if (!open.ladder) return null;
  const place = nearest(open.ladder.epsilon, epsilon);
  const draws = open.ladder.draws[place];
  const value = draws[turn % draws.length];
  return { value, ...around(value, (i) => spread(draws, i, open.true[i])), near: open.ladder.epsilon[place] };
}

/** What 95 % of the draws keep within, of the tally or else of their middle. */
function spread(draws, cell, tally) {
  const values = draws.map((draw) => draw[cell]).filter((each) => typeof each === "number").sort((a, b) => a - b);
  if (!values.length) return null;
  const centre = typeof tally === "number" ? tally : values[values.length >> 1];
  const away = values.map((each) => Math.abs(each - centre)).sort((a, b) => a - b);
  return away[Math.min(away.length - 1, Math.ceil(0.95 * away.length) - 1)];
}

/** Half of a 95 % range where noise has a law; null where it has none, or the plan cannot be paid. */
export function halfOf({ law }, epsilon, ladder) {
  const scale = law && between(ladder, law.scale, epsilon);
  return scale ? reach(law.family, scale) * law.step : null;
}

/** The same as `hundred`, of one cell at a time. */
export function drawsOf(open, epsilon, ladder) {
  if (!open.law) {
    const draws = hundred(open, epsilon, ladder);
    return (cell) => draws.map((draw) => draw[cell]);
  }
  const { family, step } = open.law;
  const scale = between(ladder, open.law.scale, epsilon);
  const [made, tallies] = [noises(open), open.true];
  return (cell) => (tallies[cell] === null || scale === null ? [] : made.map((noise) => tallies[cell] + step * FAMILIES[family](noise[cell], scale)));
}

/** Whether each number may set an axis: all that are not too noisy; where all are, all of them. */
export function usable(picture) {
  const fine = picture.value.map((value, i) => typeof value === "number" && !picture.noisy[i]);
  return fine.some(Boolean) ? fine : picture.value.map(() => true);
}

/** A hundred possible releases at ε (fewer of a ladder that is slow to make): values by cell each. */
export function hundred(open, epsilon, ladder) {
  if (!open.law) return open.ladder ? open.ladder.draws[nearest(open.ladder.epsilon, epsilon)] : [];
  const { family, step } = open.law;
  const scale = between(ladder, open.law.scale, epsilon);
  return noises(open).map((noise) => noised(open, family, scale, step, noise));
}

const kept = new WeakMap();

/** The unit noise of the hundred, made once for an opened table. */
function noises(open) {
  if (!kept.has(open))
    kept.set(open, Array.from({ length: DRAWS }, (_, draw) => units(seedOf(open.name), draw, open.true.length)));
  return kept.get(open);
}
