// Writes numbers as the page's language does, and finds round ones for axes.

const MINUS = "\u2212";

/** `number`: {decimal, group}. Returns functions that write numbers. */
export function writer(number) {
  /** With so many decimals. */
  function fixed(value, decimals = 0) {
    const [whole, part] = Math.abs(value).toFixed(decimals).split(".");
    const grouped = whole.replace(/\B(?=(\d{3})+$)/g, number.group);
    const sign = value < 0 && Number(Math.abs(value).toFixed(decimals)) !== 0 ? MINUS : "";
    return sign + grouped + (part ? number.decimal + part : "");
  }
  /** With at most so many decimals, no zeros at the end. */
  function short(value, most = 1) {
    let decimals = most;
    while (decimals > 0 && Number(value.toFixed(decimals)) === Number(value.toFixed(decimals - 1))) decimals -= 1;
    return fixed(value, decimals);
  }
  return {
    fixed,
    short,
    /** As a value of a table whose largest is `size`. */
    value: (value, size) => fixed(value, size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3),
    /** ε with two decimals at least, and three below 0.1 where it has them. */
    loss: (value) => (value < 0.1 && Math.abs(value * 100 - Math.round(value * 100)) > 1e-9 ? fixed(value, 3) : fixed(value, 2)),
    /** A share of something, as a percentage. */
    percent(share) {
      const hundredths = share * 100;
      if (hundredths > 999) return "> 999 %";
      return `${short(hundredths, Math.abs(hundredths) < 9.95 ? 1 : 0)} %`;
    },
  };
}

/** A moment in milliseconds since 1970 as its day. */
export function day(moment) {
  return new Date(Math.round(moment)).toISOString().slice(0, 10);
}

/** Round numbers from `low` to `high`, about `count` of them above the first. */
export function ticks(low, high, count) {
  const rough = (high - low) / Math.max(count, 1);
  if (!(rough > 0) || !Number.isFinite(rough)) return [low];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough * 0.7);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high * (1 + 1e-9); k += 1) found.push(k * step);
  return found;
}

/** What stands at x on a curve given by points, both axes logarithmic: exact for powers of x. */
export function between(xs, ys, x) {
  if (x <= xs[0]) return ys[0];
  for (let i = 1; i < xs.length; i += 1) {
    if (x > xs[i]) continue;
    const [low, high] = [ys[i - 1], ys[i]];
    const part = Math.log(x / xs[i - 1]) / Math.log(xs[i] / xs[i - 1]);
    if (low === null || high === null) return part < 0.5 ? low : high;
    return low > 0 && high > 0 ? low * (high / low) ** part : low + (high - low) * part;
  }
  return ys[ys.length - 1];
}

/** The place of the number nearest to x on a logarithmic scale. */
export function nearest(xs, x) {
  let best = 0;
  for (let i = 1; i < xs.length; i += 1) if (Math.abs(Math.log(xs[i] / x)) < Math.abs(Math.log(xs[best] / x))) best = i;
  return best;
}
