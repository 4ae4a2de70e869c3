// The same unit noise at every ε, for pictures only: what is published is drawn by the engine on the server.

/** Two numbers of 32 bits from one, far from those of its neighbours (splitmix32). */
function splitmix(seed) {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let z = state ^ (state >>> 16);
    z = Math.imul(z, 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return (z ^ (z >>> 15)) >>> 0;
  };
}

/** A statistic's own pictures, the same each time: its name as 32 bits (FNV-1a). */
export function seedOf(name) {
  return [...name].reduce((hash, letter) => Math.imul(hash ^ letter.codePointAt(0), 16777619), 2166136261) >>> 0;
}

/** sfc32: a stream of 32-bit numbers for a seed and the number of a draw. */
function stream(seed, draw) {
  const first = splitmix(seed % 4294967296);
  const second = splitmix((first() ^ Math.imul(draw + 1, 0x85ebca6b)) | 0);
  let [a, b, c, d] = [first() ^ Math.floor(seed / 4294967296), second(), second(), 1];
  const next = () => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return t >>> 0;
  };
  for (let i = 0; i < 12; i += 1) next();
  return next;
}

/** So many numbers in (0, 1), of 53 bits: the unit noise of a draw's cells. */
export function units(seed, draw, cells) {
  const next = stream(seed, draw);
  return Float64Array.from({ length: cells }, () => ((next() >>> 5) * 67108864 + (next() >>> 6) + 0.5) / 9007199254740992);
}

/**
 * Discrete Laplace, P(k) proportional to exp(-|k| / scale), by its inverse distribution function.
 * With q = exp(-1/scale): F(k) = q^-k / (1 + q) below 0, and 1 - q^(k+1) / (1 + q) from 0 on.
 */
export function laplace(unit, scale) {
  if (!(scale > 0)) return 0;
  const q = Math.exp(-1 / scale);
  if (unit * (1 + q) <= q) return -Math.floor(-scale * Math.log(unit * (1 + q)));
  return Math.max(0, Math.ceil(-scale * Math.log((1 - unit) * (1 + q))) - 1);
}

/** Above this σ the discrete Gaussian is a rounded normal, to one part in 24σ². */
const FINE = 100;
const tables = new Map();

/** Discrete Gaussian, P(k) proportional to exp(-k² / 2σ²), by its inverse distribution function. */
export function gaussian(unit, sigma) {
  if (!(sigma > 0)) return 0;
  if (sigma > FINE) return Math.round(sigma * normal(unit));
  const sums = table(sigma);
  const middle = (sums.length - 1) / 2;
  const aim = unit * sums[sums.length - 1];
  let [low, high] = [0, sums.length - 1];
  while (low < high) {
    const half = (low + high) >> 1;
    if (sums[half] < aim) low = half + 1;
    else high = half;
  }
  return low - middle;
}

/** Running sums of the weights from -12σ to 12σ; those of the last few σ are kept. */
function table(sigma) {
  let sums = tables.get(sigma);
  if (!sums) {
    const far = Math.ceil(12 * sigma) + 1;
    sums = new Float64Array(2 * far + 1);
    for (let k = -far, sum = 0; k <= far; k += 1) sums[k + far] = sum += Math.exp((-k * k) / (2 * sigma * sigma));
    if (tables.size > 32) tables.clear();
    tables.set(sigma, sums);
  }
  return sums;
}

/** The standard normal's inverse distribution function, to 2e-9 of itself (Acklam). */
export function normal(unit) {
  const a = [-39.69683028665376, 220.9460984245205, -275.9285104469687, 138.357751867269, -30.66479806614716, 2.506628277459239];
  const b = [-54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972, -13.28068155288572];
  const c = [-0.007784894002430293, -0.3223964580411365, -2.400758277161838, -2.549732539343734, 4.374664141464968, 2.938163982698783];
  const d = [0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416];
  const at = (terms, x) => terms.reduce((sum, term) => sum * x + term, 0);
  const tail = (x) => at(c, x) / (at(d, x) * x + 1);
  if (unit < 0.02425) return tail(Math.sqrt(-2 * Math.log(unit)));
  if (unit > 0.97575) return -tail(Math.sqrt(-2 * Math.log(1 - unit)));
  const x = unit - 0.5;
  return (at(a, x * x) * x) / (at(b, x * x) * x * x + 1);
}

export const FAMILIES = { laplace, gaussian };

/** The least h with P(|k| <= h) at least 95 %: half of a range, in integers. */
export function reach(family, scale) {
  if (!(scale > 0)) return 0;
  if (family === "gaussian") return gaussian(0.975, scale);
  const q = Math.exp(-1 / scale);
  return Math.max(0, Math.ceil(-scale * Math.log((0.05 * (1 + q)) / 2)) - 1);
}
