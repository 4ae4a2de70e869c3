// Reading of releases in a browser or in Node, without requirements: signatures, tables, and sums with their noise.
// `dprelease.load(read, {key, beside})`, `dprelease.table(release, name)`, `dprelease.combine(kind, ...cells)`.
"use strict";

globalThis.dprelease = (() => {
  // What does not hold, by the code and the values of its sentence.
  class Refused extends Error {
    constructor(code, values = {}) {
      super([code, ...Object.values(values)].join(" "));
      Object.assign(this, { code, values });
    }
  }
  const refuse = (code, values) => {
    throw new Refused(code, values);
  };
  const bytesOf = (hex) => new Uint8Array((hex.match(/../g) || []).map((pair) => parseInt(pair, 16)));
  const hexOf = (bytes) => [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const hash = async (bytes) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const text = (bytes) => new TextDecoder("utf-8", { fatal: true }).decode(bytes);

  function canonical(value) {
    // RFC 8785, for values without fractions: what JSON.stringify writes, keys sorted by their UTF-16 units.
    if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
    if (value === null || typeof value !== "object") return JSON.stringify(value);
    const keys = Object.keys(value).sort();
    return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(",")}}`;
  }

  const digest = async (value) => hexOf(await hash(new TextEncoder().encode(canonical(value))));

  // Whether the ledger's charge is what a certificate says was spent. Of an edition it is the charge of its run, `run`,
  // and the edition's own line spends nothing.
  async function agrees({ charge: { event }, run }, release) {
    const [nothing, own] = [{ epsilon_nano: 0, rho_nano: 0, delta_atto: 0 }, release.run];
    const same = (one, other) => canonical({ ...nothing, ...one }) === canonical({ ...nothing, ...other });
    const paid = own ? run?.event : event;
    const { facts } = event;
    return (
      Boolean(paid) &&
      event.kind === (own ? "edition_begun" : "charge") &&
      paid.kind === "charge" &&
      event.population === release.population.name &&
      paid.population === event.population &&
      (await digest(event)) === release.ledger.hash &&
      event.seq === release.ledger.seq &&
      event.charges === release.cumulative.releases &&
      same(paid.loss, release.loss) &&
      same(event.spent, release.cumulative.loss) &&
      (own
        ? same(event.loss, nothing) && paid.facts.run.name === own.name && facts.run === own.name && facts.edition === own.period &&
          paid.seq === own.charge.seq && facts.charge === paid.seq && (await digest(paid)) === own.charge.hash && facts.charge_hash === own.charge.hash
        : facts.plan_hash === release.plan_hash)
    );
  }

  async function signedBy(raw, signature, message) {
    const key = await crypto.subtle.importKey("raw", raw, "Ed25519", false, ["verify"]);
    return crypto.subtle.verify("Ed25519", key, signature, message);
  }

  const node = (left, right) => hash(new Uint8Array([1, ...left, ...right]));

  async function rootOf(leaf, place, size, proof) {
    // RFC 9162, 2.1.3.2.
    let [index, last, root] = [place, size - 1, leaf];
    for (const part of proof) {
      if (last === 0) return null;
      if (index % 2 === 1 || index === last) {
        root = await node(part, root);
        while (index % 2 === 0 && index !== 0) [index, last] = [Math.floor(index / 2), Math.floor(last / 2)];
      } else root = await node(root, part);
      [index, last] = [Math.floor(index / 2), Math.floor(last / 2)];
    }
    return last === 0 ? root : null;
  }

  // Checksums, signature, and the release's place in the ledger. `read`: a file's bytes by its path. `names`: all files
  // that are there. `beside`: the newest checkpoint and the notices, as JSON or null.
  async function check(read, { key: expected = "", names = [], beside = null } = {}) {
    const done = [];
    const sums = await read("SHA256SUMS");
    const raw = keyOf(text(await read("signer.pub")));
    const signer = `ed25519:${hexOf(raw)}`;
    if (!(await signedBy(raw, await read("SHA256SUMS.sig"), sums))) refuse("why_signature");
    const listed = new Map();
    for (const line of text(sums).trimEnd().split("\n")) listed.set(line.slice(66), line.slice(0, 64));
    for (const name of names) {
      if (!listed.has(name) && !["SHA256SUMS", "SHA256SUMS.sig", "SHA256SUMS.tsr"].includes(name)) refuse("why_unlisted", { name });
    }
    const files = new Map();
    for (const [name, sum] of listed) {
      files.set(name, await read(name));
      if (hexOf(await hash(files.get(name))) !== sum) refuse("why_changed", { name });
    }
    done.push(["verify_signature", { key: signer }], ["verify_files", { count: listed.size }]);
    if (!listed.has("ledger.json")) refuse("why_missing", { name: "ledger.json" });
    const [ledger, release] = ["ledger.json", "release.json"].map((name) => JSON.parse(text(files.get(name))));
    const { charge, published, superseded, run, checkpoint } = ledger;
    const outputs = {};
    for (const [name, sum] of listed) if (/^(release\.json|(tables|rows)\/[^/]*\.csv|(models|measured)\/[^/]*\.json)$/.test(name)) outputs[name] = sum;
    const { kind, facts } = published.event;
    const states = [facts.release, facts.published_on, facts.signer, facts.outputs, facts.charge_hash];
    const is = [release.id, release.published, signer, await digest(outputs), release.ledger.hash];
    if (kind !== "published" || states.some((value, place) => value !== is[place])) refuse("why_event");
    if (!(await agrees(ledger, release))) refuse("why_charge");
    if ((superseded === null) !== (release.supersedes === null)) refuse("why_event");
    if (superseded && superseded.event.facts.release !== release.supersedes) refuse("why_event");
    done.push(["verify_event", { seq: published.event.seq }], ["verify_charge", { seq: charge.event.seq }]);
    for (const line of [charge, published, superseded, run].filter(Boolean)) {
      const leaf = await hash(new Uint8Array([0, ...bytesOf(await digest(line.event))]));
      const root = await rootOf(leaf, line.event.seq - 1, checkpoint.size, line.inclusion.map(bytesOf));
      if (root === null || hexOf(root) !== checkpoint.root) refuse("why_inclusion");
    }
    done.push(["verify_inclusion", { size: checkpoint.size }]);
    if (ledger.signer !== signer || !(await holds(ledger))) refuse("why_checkpoint");
    done.push(["verify_checkpoint", { day: checkpoint.on }]);
    if (!(await handedOver(ledger))) refuse("why_rotations");
    if (expected && expected !== signer) {
      const chain = ledger.rotations.map(({ old_pem: pem }) => fingerprint(pem));
      if (!chain.includes(expected)) refuse("why_key");
      const days = ledger.rotations.slice(chain.indexOf(expected)).map(({ on }) => on);
      done.push(["verify_rotations", { days: days.join(", ") }]);
    }
    const notices = beside ? await noticed(beside, ledger, release) : { said: ["verify_notices_apart", {}], texts: [] };
    return { signer, done: [...done, notices.said], notices: notices.texts, files, certificate: release };
  }

  const keyOf = (pem) => Uint8Array.from(atob(pem.replace(/-----[^-]+-----|\s/g, "")), (each) => each.charCodeAt(0)).slice(-32);
  const fingerprint = (pem) => `ed25519:${hexOf(keyOf(pem))}`;
  const said = (signer, signature, value) =>
    signedBy(bytesOf(signer.slice(8)), bytesOf(signature), new TextEncoder().encode(canonical(value)));
  const holds = ({ checkpoint, signer, signature }) => said(signer, signature, checkpoint);
  const signersOf = ({ rotations, signer }) => [...rotations.map(({ old_pem: pem }) => fingerprint(pem)), signer];

  // Whether each key signed that the next one follows, up to the signer of a checkpoint.
  async function handedOver(history) {
    const signers = signersOf(history);
    if (new Set(signers).size !== signers.length) return false;
    for (const [place, { old_pem: pem, new_pem: next, on, signature }] of history.rotations.entries()) {
      const told = { dprelease_key_rotation: 1, old: fingerprint(pem), new: fingerprint(next), on };
      if (told.new !== signers[place + 1] || !(await said(told.old, signature, told))) return false;
    }
    return true;
  }

  // What was said of a release since: each statement signed, and all of them that the newest checkpoint here lists.
  async function noticed(beside, own, release) {
    const later = await beside.checkpoint();
    if (!later) refuse("why_no_checkpoint"); // every portal has one; without it, notices could be left out unseen
    if (!(await holds(later)) || !(await handedOver(later))) refuse("why_checkpoint");
    const same = later.checkpoint.workspace === own.checkpoint.workspace && signersOf(later).includes(own.signer);
    const known = same && later.checkpoint.size > own.checkpoint.size ? later : own;
    const signers = signersOf(known).slice(signersOf(known).indexOf(own.signer));
    const listed = known.checkpoint.notices[release.id] || [];
    const file = await beside.notices(release.id);
    const found = file ? file.notices : [];
    const genuine = new Map();
    for (const { statement, signer, signature } of found) {
      const hashed = await digest(statement);
      const fits = statement.release === release.id && statement.published_on >= release.published;
      const counted = listed.includes(hashed) || statement.ledger.seq > known.checkpoint.size;
      if (fits && counted && signers.includes(signer) && (await said(signer, signature, statement))) genuine.set(hashed, statement);
    }
    const missing = listed.filter((each) => !genuine.has(each)).length;
    if (missing) refuse("why_missing_notices", { count: missing });
    if (found.length > genuine.size) refuse("why_refused_notices", { count: found.length - genuine.size });
    const day = known.checkpoint.on;
    if (!genuine.size) return { said: ["verify_notices_none", { day }], texts: [] };
    const texts = [...genuine.values()].map((each) => `${each.published_on} ${each.by || ""} ${each.text}`.replace(/\s+/g, " "));
    return { said: ["verify_notices", { day, count: genuine.size }], texts };
  }

  // A release whose files hold: its certificate, and its tables by name.
  async function load(read, options = {}) {
    const found = await check(read, options);
    return { ...found, described: JSON.parse(text(found.files.get("datapackage.json"))).resources };
  }

  // Decimals n·10^-k, of whole n without a bound.
  const ten = (k) => 10n ** BigInt(k);
  const decimal = (written) => {
    const [, sign, whole, part = "", e = "0"] = /^([-+]?)(\d+)(?:\.(\d*))?(?:[eE]([-+]?\d+))?$/.exec(String(written));
    const k = part.length - Number(e);
    const n = BigInt(`${sign === "-" ? "-" : ""}${whole}${part}`);
    return k < 0 ? { n: n * ten(-k), k: 0 } : { n, k };
  };
  const at = (number, k) => number.n * ten(k - number.k);
  const plus = (one, other) => {
    const k = Math.max(one.k, other.k);
    return { n: at(one, k) + at(other, k), k };
  };
  const times = (one, other) => ({ n: one.n * other.n, k: one.k + other.k });
  const float = ({ n, k }) => Number(n) / Number(ten(k));
  const magnitude = (number) => (number.n < 0n ? { n: -number.n, k: number.k } : number);

  // A number Σ c·(x + Z): its value, and the coefficient and law of each draw.
  function joined(one, other, factor) {
    const draws = new Map(one.draws);
    for (const [key, { c, name, scale }] of other.draws) {
      const sum = plus(draws.get(key)?.c ?? decimal(0), times(factor, c));
      if (sum.n === 0n) draws.delete(key);
      else draws.set(key, { c: sum, name, scale });
    }
    return { value: plus(one.value, times(factor, other.value)), draws };
  }

  // Coefficients and laws with their number of draws, as dprelease/bundle/joint_noise.py has them.
  function grouped(draws, coefficient) {
    const parts = new Map();
    for (const { c, name, scale } of draws) {
      const own = { c: coefficient(c), name, scale, many: 0 };
      const key = `${own.c} ${name} ${scale}`;
      if (own.c) parts.set(key, { ...own, many: (parts.get(key)?.many ?? 0) + 1 });
    }
    return [...parts.values()];
  }

  const LAPLACE = "discrete_laplace";
  const isOneLaplace = (parts) => parts.length === 1 && parts[0].many === 1 && parts[0].name === LAPLACE;
  const deviation = (parts) => Math.sqrt(parts.reduce((sum, { c, name, scale, many }) => sum + many * (name === LAPLACE ? 2 : 1) * (c * scale) ** 2, 0));

  function characteristic({ name, scale: s }, angle) {
    if (name === LAPLACE) return 1 / (1 + ((4 * Math.exp(-1 / s)) / Math.expm1(-1 / s) ** 2) * Math.sin(angle / 2) ** 2);
    const turn = 2 * Math.PI;
    if (s >= 4) return Math.exp(-((Math.abs(((((angle + Math.PI) % turn) + turn) % turn) - Math.PI) * s) ** 2) / 2);
    let [above, below] = [1, 1];
    for (let k = 1; k <= Math.ceil(12 * s); k += 1) {
      const weight = Math.exp(-(k * k) / (2 * s * s));
      above += 2 * weight * Math.cos(k * angle);
      below += 2 * weight;
    }
    return above / below;
  }

  // The least h with P(|Σ c·Z| > h) <= 5 %.
  function margin(parts) {
    if (isOneLaplace(parts)) {
      const [{ c, scale }] = parts;
      return c * Math.max(0, Math.ceil(-scale * (Math.log(0.05 / 2) + Math.log1p(Math.exp(-1 / scale)))) - 1);
    }
    const spread = deviation(parts);
    let size = 64;
    while (size < 80 * spread + 64) size *= 2;
    const weights = [];
    let rest = 0;
    for (let j = 1; j <= size / 2; j += 1) {
      const t = (2 * Math.PI * j) / size;
      const last = 2 * j === size;
      const turned = parts.reduce((found, part) => found * characteristic(part, part.c * t) ** part.many, 1);
      weights.push([t / 2, ((last ? 1 : 2) * turned) / Math.sin(t / 2)]);
      const bound = parts.reduce((found, part) => (part.c === 1 ? found * characteristic(part, t) ** part.many : found), 1);
      rest = last ? 0 : bound * Math.log(Math.PI / t);
      if (rest < 1e-10 || j === 100000) break;
    }
    let [low, high] = [-1, Math.ceil(4.5 * spread) + 1];
    if (rest > 1e-6) high += Math.ceil(parts.reduce((sum, { c, many }) => sum + c * many, 0));
    while (high - low > 1) {
      const h = Math.floor((low + high) / 2);
      const inside = weights.reduce((sum, [half, weight]) => sum + weight * Math.sin((2 * h + 1) * half), 0);
      const beyond = rest > 1e-6 ? outside(parts, h) : 1 - (2 * h + 1 + inside) / size + rest;
      [low, high] = beyond > 0.05 - 1e-9 ? [h, high] : [low, h];
    }
    return high;
  }

  // At least P(|Σ c·Z| >= distance), by continuous noise of the same laws and one step a draw.
  function outside(parts, distance) {
    const h = distance - parts.reduce((sum, { c, many }) => sum + c * many, 0);
    if (h <= 0 || !parts.length) return h <= 0 && parts.length ? 1 : 0;
    if (isOneLaplace(parts)) return Math.exp(-h / (parts[0].c * parts[0].scale));
    const step = (2 * Math.PI) / (40 * deviation(parts) + 2 * h);
    let [inside, rest] = [h, 0];
    for (let j = 1; j <= 100000; j += 1) {
      const t = j * step;
      rest = 1;
      for (const { c, name, scale, many } of parts) {
        const square = (c * scale * t) ** 2;
        rest *= (name === LAPLACE ? 1 / (1 + square) : Math.exp(-square / 2)) ** many;
      }
      inside += (2 * rest * Math.sin(h * t)) / t;
      if (rest < 1e-7) break;
    }
    return Math.max(0, 1 - (inside * step) / Math.PI) + rest;
  }

  // The half-width of a form, as a decimal.
  function halfWidth({ draws }) {
    const all = [...draws.values()];
    if (!all.length) return decimal(0);
    const k = Math.max(...all.map(({ c }) => c.k));
    const divisor = (one, other) => (other === 0n ? one : divisor(other, one % other));
    const unit = all.map(({ c }) => at(magnitude(c), k)).reduce(divisor);
    return times({ n: unit, k }, decimal(margin(grouped(all, (c) => Number(at(magnitude(c), k) / unit)))));
  }

  function opened(form, unit) {
    const half = halfWidth(form);
    const ends = [plus(form.value, times(decimal(-1), half)), plus(form.value, half)];
    return { value: float(form.value), lower95: float(ends[0]), upper95: float(ends[1]), confidence: 0.95, unit, form };
  }
  const closed = (value, lower95, upper95, confidence, unit) => ({ value, lower95, upper95, confidence, unit, form: null });

  // The cells of one table, each with its keys, interval, grade, unit and, where that is known, its noise.
  function table(release, name) {
    const own = release.certificate;
    const described = release.described.find((each) => each.name === name && each.axes);
    if (!described) refuse("no_table", { name });
    const stated = own.statistics.find((each) => each.tables.includes(name));
    const asked = own.plan.statistics.find(({ id }) => id === stated.id);
    const [head, ...rows] = records(text(release.files.get(described.path)));
    const names = described.axes.flatMap((axis) => axis.names);
    const { measure, traits } = stated.presentation;
    const unit = measure === "column" ? own.plan.columns[asked.column]?.unit || asked.column : measure;
    const mechanisms = own.measurements.filter(({ id }) => stated.measurements.includes(id)).flatMap((each) => each.mechanisms);
    const [law] = mechanisms;
    const known =
      stated.id === name && !own.several && !stated.source && mechanisms.length === 1 && law.step !== null && law.step !== undefined &&
      [LAPLACE, "discrete_gaussian"].includes(law.name) && !("threshold" in law.settings) &&
      traits.includes("additive") && !traits.includes("unlike") && !traits.includes("ranked") &&
      (traits.includes("own_noise") || asked.margins) && !("survey_weights" in asked) && !("sampling" in asked);
    const sizes = described.axes.map(({ cells }) => cells);
    const behind = sizes.map((_, axis) => sizes.slice(axis + 1).reduce((one, other) => one * other, 1));
    const first = described.axes.map((axis) => head.indexOf(axis.names[0]));
    const inner = sizes.map((size, axis) => [...Array(size).keys()].map((cell) => !(asked.margins && rows[cell * behind[axis]][first[axis]] === "_T")));
    const drawn = inner.map((axis) => axis.filter(Boolean).length).reduce((one, other) => one * other, 1);
    const fits = known && law.shape.reduce((one, other) => one * other, 1) === drawn;
    const number = (written) => (written === "" ? null : Number.isNaN(Number(written)) ? written : Number(written));
    return rows.map((row, place) => {
      const cell = Object.fromEntries(head.map((column, at) => [column, row[at]]));
      const from = cell.raw ?? cell.value;
      let form = null;
      if (fits && from !== "") {
        let places = [0];
        for (const [axis, size] of sizes.entries()) {
          const at = Math.floor(place / behind[axis]) % size;
          const sides = inner[axis][at] ? [at] : inner[axis].flatMap((isIn, each) => (isIn ? [each] : []));
          places = places.flatMap((before) => sides.map((side) => before + side * behind[axis]));
        }
        const drawOf = (each) => [`${release.signer} ${own.id} ${stated.id} ${each}`, { c: decimal(law.step), name: law.name, scale: Number(law.scale) }];
        form = { value: decimal(from), draws: new Map(places.map(drawOf)), neverNegative: traits.includes("never_negative") };
      }
      const keys = Object.fromEntries(names.map((key) => [key, cell[key]]));
      const [value, lower95, upper95] = ["value", "lower95", "upper95"].map((column) => number(cell[column]));
      return { keys, value, lower95, upper95, grade: cell.grade, confidence: 0.95, unit, form };
    });
  }

  // The records of a CSV file (RFC 4180).
  function records(written) {
    const found = [[]];
    for (const [, quoted, bare, end] of written.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
      found.at(-1).push(quoted === undefined ? bare : quoted.replaceAll('""', '"'));
      if (end === "") break;
      if (end !== ",") found.push([]);
    }
    return found.filter((record) => record.length > 1 || record[0] !== "");
  }

  const isNumber = (each) => typeof each === "number";
  const ends = ({ lower95, upper95 }) => (isNumber(lower95) && isNumber(upper95) ? [lower95, upper95] : refuse("no_interval"));

  // One number of several, with the interval of the noise that they have together: `sum`, `difference`, `total`, `times`
  // (of a number and a cell), `ratio` and `share` (of a part and its whole). Refused where that is not known.
  function combine(kind, ...given) {
    if (kind === "total") return total(given.flat());
    const [one, other] = given;
    if (kind === "ratio") return ratio(one, other);
    if (kind === "share") return share(one, other);
    if (kind === "times") return multiplied(one, other);
    if (one.unit !== other.unit) refuse("two_units");
    const sign = kind === "sum" ? 1 : -1;
    if (one.form && other.form) return opened(joined(one.form, other.form, decimal(sign)), one.unit);
    if (Math.min(one.confidence, other.confidence) < 0.95) refuse("third_interval");
    const [own, theirs] = [ends(one), ends(other).map((end) => sign * end).sort((a, b) => a - b)];
    return closed(one.value + sign * other.value, own[0] + theirs[0], own[1] + theirs[1], 0.9, one.unit);
  }

  function multiplied(factor, cell) {
    const nothing = { value: decimal(0), draws: new Map() };
    if (cell.form) return opened(joined(nothing, cell.form, decimal(factor)), cell.unit);
    const [lower, upper] = ends(cell).map((end) => factor * end).sort((a, b) => a - b);
    return closed(factor * cell.value, lower, upper, cell.confidence, cell.unit);
  }

  function total(cells) {
    if (!cells.length) refuse("nothing");
    const open = cells.filter(({ form }) => form);
    if (open.length < cells.length && cells.length > 2) refuse("third_interval");
    const draws = new Map(open.flatMap(({ form }) => [...form.draws]));
    if (draws.size < open.reduce((sum, { form }) => sum + form.draws.size, 0)) refuse("held_twice");
    if (open.length < cells.length || new Set(cells.map(({ unit }) => unit)).size > 1) {
      return cells.length === 1 ? multiplied(1, cells[0]) : combine("sum", cells[0], cells[1]);
    }
    return opened({ value: open.map(({ form }) => form.value).reduce(plus), draws }, cells[0].unit);
  }

  // Fieller's set of quotients, {r : A − rB is within its margin}; without a value where the denominator may be 0.
  function ratio(one, other) {
    const unit = one.unit === other.unit ? "" : `${one.unit}/${other.unit}`;
    if (!one.form || !other.form) {
      if (Math.min(one.confidence, other.confidence) < 0.95) refuse("third_interval");
      const [[low, high], [least, most]] = [ends(one), ends(other)];
      if (low <= 0 || least <= 0) refuse("interval_with_0");
      return closed(one.value / other.value, low / most, high / least, 0.9, unit);
    }
    const [a, b] = [one.form, other.form];
    const [above, below] = [float(a.value), float(b.value)];
    if (Math.abs(below) <= float(halfWidth(b))) return closed(null, null, null, 0.95, unit);
    const middle = above / below;
    const all = new Map([...b.draws, ...a.draws]);
    const off = (r) => {
      const coefficient = ([key, law]) => ({ ...law, c: float(a.draws.get(key)?.c ?? decimal(0)) - r * float(b.draws.get(key)?.c ?? decimal(0)) });
      return grouped([...all].map(coefficient), Math.abs);
    };
    if (!off(middle).length) return closed(middle, middle, middle, 0.95, unit);
    const isIn = (r) => outside(off(r), Math.abs(above - r * below)) > 0.05;
    const end = (side) => {
      let [low, high] = [0, Math.max(Math.abs(middle), (float(halfWidth(a)) + Math.abs(above)) / Math.abs(below), 1e-9) / 64];
      while (isIn(middle + side * high)) [low, high] = [high, 2 * high];
      for (let turn = 0; turn < 30; turn += 1) {
        const half = (low + high) / 2;
        [low, high] = isIn(middle + side * half) ? [half, high] : [low, half];
      }
      return outwards(middle + side * high, side);
    };
    return closed(middle, end(-1), end(1), 0.95, unit);
  }

  // A number in six significant digits, rounded down or up.
  function outwards(number, side) {
    if (number === 0) return 0;
    const { n, k } = decimal(number);
    const cut = String(n < 0n ? -n : n).length - 6;
    if (cut <= 0) return number;
    const part = ten(cut);
    const down = n / part - (n % part < 0n ? 1n : 0n);
    const rounded = side < 0 || n % part === 0n ? down : down + 1n;
    return k >= cut ? float({ n: rounded, k: k - cut }) : float({ n: rounded * ten(cut - k), k: 0 });
  }

  function share(part, whole) {
    if (!part.form || !whole.form) refuse("unknown_noise");
    const found = ratio(part, whole);
    const same = ([key, { c, name, scale }]) => {
      const own = whole.form.draws.get(key);
      return own && plus(own.c, times(decimal(-1), c)).n === 0n && own.name === name && own.scale === scale;
    };
    if (found.value === null || !part.form.neverNegative || ![...part.form.draws].every(same)) return found;
    const cut = (number) => Math.min(1, Math.max(0, number));
    return closed(cut(found.value), cut(found.lower95), cut(found.upper95), 0.95, "");
  }

  return { Refused, check, load, table, combine };
})();
