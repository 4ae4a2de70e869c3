// What the lab's pages add in a browser: what is chosen is computed here, without a server. Nothing needs it to be read.
// The same formulas as dprelease/extras/lab; tests/extras/lab/browser/test_lab.py holds both to the same numbers.
"use strict";

const byId = (id) => document.getElementById(id);
const data = byId("data") ? JSON.parse(byId("data").textContent) : {};
const POINT = new Intl.NumberFormat(document.documentElement.lang)
  .formatToParts(0.5)
  .find(({ type }) => type === "decimal").value;
const filled = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? values[name] : whole));
const shown = (number) => String(number).replace(".", POINT);
const inHundred = (share) => (share > 0.999 ? Math.round(100000 * share) / 1000 : Math.round(1000 * share) / 10);
const percent = (share) => filled(data.words.percent, { share: shown(inHundred(share)) });
// A bound is rounded up.
const ceiled = (share, digits) => Math.ceil(digits * share - 1e-9) / digits;
const atMost = (share) => percent(ceiled(share, 1000) < 1 ? ceiled(share, 1000) : ceiled(share, 100000));
const sum = (numbers) => numbers.reduce((whole, each) => whole + each, 0);
const bound = (epsilon) => 1 / (1 + Math.exp(-epsilon));

// All terms are above 0, so that nothing cancels.
function erf(x) {
  if (x > 6) return 1;
  let [term, whole] = [x, x];
  for (let place = 1; term > whole * 1e-17; place++) whole += term *= (2 * x * x) / (2 * place + 1);
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * whole;
}

const parted = (defence) => [defence.split("-")[0], Number(defence.split("-")[1] || 0)];
const outcome = (won, most = 1) => ({ guessing: 0.5, won, most });
// Of discrete Laplace noise of scale 1/rate.
const spread = (rate) => (2 * Math.exp(-rate)) / (1 - Math.exp(-rate)) ** 2;

// The chances of what is published of a count, by number; null where it is hidden.
function answer(count, kind, size) {
  if (kind === "suppressed" && count > 0 && count < size) return null;
  if (kind === "rounded") return new Map([[size * Math.floor((2 * count + size) / (2 * size)), 1]]);
  const lower = count - (count % size || 0);
  if (kind === "random") return new Map([[lower, 1 - (count % size) / size], [lower + size, (count % size) / size]]);
  if (kind !== "uniform") return new Map([[count, 1]]);
  return new Map(Array.from({ length: 2 * size + 1 }, (_, place) => [count - size + place, 1 / (2 * size + 1)]));
}

function less(one, other) {
  const found = new Map();
  for (const [value, chance] of one)
    for (const [taken, times] of other) found.set(value - taken, (found.get(value - taken) || 0) + chance * times);
  return found;
}

function toldApart(one, other) {
  if (!one || !other) return one || other ? 1 : 0.5;
  const values = [...new Set([...one.keys(), ...other.keys()])];
  return sum(values.map((value) => Math.max(one.get(value) || 0, other.get(value) || 0))) / 2;
}

function difference({ world, defence, epsilon }) {
  const [kind, size] = parted(defence);
  if (kind === "private") {
    const r = Math.exp(-epsilon / 2);
    return outcome((1 + (((1 - r) / (1 + r)) ** 2 * (1 + r * r)) / (1 - r * r)) / 2, bound(epsilon));
  }
  if (kind === "swapped") return outcome(1 - size / 200);
  const others = ["sigerico", "turismundo", "eurico", "amalarico"].includes(world) ? 6 : 5;
  const [without, there] = [answer(others, kind, size), answer(others + 1, kind, size)];
  if (!without || !there) return outcome(toldApart(without, there));
  return outcome(toldApart(less(there, without), less(without, without)));
}

// The better guess between two chances of a yes, after so many answers.
function ofCopies(p, q, copies) {
  const logs = [0];
  for (let place = 1; place <= copies; place++) logs.push(logs[place - 1] + Math.log(place));
  const chance = (yes, place) => {
    if (yes === 1) return place === copies ? 1 : 0;
    const ways = logs[copies] - logs[place] - logs[copies - place];
    return Math.exp(ways + (place && place * Math.log(yes)) + (copies - place) * Math.log1p(-yes));
  };
  return sum(logs.map((_, place) => Math.max(chance(p, place), chance(q, place)))) / 2;
}

function repeat({ world, defence, n, epsilon }) {
  const [[kind, size], others, copies] = [parted(defence), { kings: 5, eve: 47 }[world], Number(n)];
  if (kind === "private") {
    const yes = bound(epsilon / copies);
    return outcome(ofCopies(yes, 1 - yes, copies), bound(epsilon));
  }
  if (kind === "each") return outcome(ofCopies(bound(epsilon), 1 - bound(epsilon), copies), bound(copies * epsilon));
  if (kind === "uniform") return outcome((2 - (1 - 1 / (2 * size + 1)) ** copies) / 2);
  if (kind === "random") return outcome(ofCopies((others % size) / size, ((others % size) + 1) / size, copies));
  return outcome(toldApart(answer(others, kind, size), answer(others + 1, kind, size)));
}

function hadamard({ world, defence, epsilon }) {
  const [[kind, size], people] = [parted(defence), Number(world)];
  const noise = { exact: 0, rounded: (size * size - 1) / 12, random: (size * size - 1) / 6, uniform: (size * (size + 1)) / 3 };
  const most = kind === "private" ? bound(epsilon) : 1;
  const variance = kind === "private" ? spread(epsilon / people) : noise[kind];
  return outcome(variance ? Math.min(most, (1 + erf(Math.sqrt(people / variance / 32))) / 2) : 1, most);
}

function scores({ world, defence, n, epsilon }) {
  const [people, attributes, secret] = [Number(world), Number(n), defence === "private"];
  const most = secret ? bound(epsilon) : 1;
  const variance = secret ? spread(epsilon / attributes) : 0;
  return outcome(Math.min(most, (1 + erf(Math.sqrt(attributes / (people + 4 * variance) / 8))) / 2), most);
}

// What takes longer than a moment was computed beforehand.
function looked({ world, defence, n, epsilon }) {
  const found = data.known[`${world}|${defence}|${n}`];
  const [guessing, won, most] = found[defence === "private" ? data.epsilons.indexOf(epsilon) : 0];
  return { guessing, won, most };
}

const COMPUTED = { difference, repeat, hadamard, scores };
const compute = (state) => (COMPUTED[data.attack] || looked)(state);

// What an address, or the form, asks for; and the names of what it asks for in vain.
function read(asked) {
  const vain = Object.keys(asked).filter((name) => !["e", "world", "defence", "n", "eps"].includes(name));
  const one = (name) => {
    if (!(name in asked) || data.allowed[name].includes(asked[name])) return asked[name] ?? data.usual[name];
    if (asked[name] !== data.usual[name]) vain.push(name);
    return data.usual[name];
  };
  if ("e" in asked && asked.e !== data.attack) vain.push("e");
  const state = { world: one("world"), defence: one("defence"), n: one("n") };
  const [text, ends] = [asked.eps ?? data.usual.eps, [data.epsilons[0], data.epsilons[data.epsilons.length - 1]]];
  let epsilon = /^\d{1,2}(\.\d{1,4})?$/.test(text) ? Number(text) : 0;
  const fits = data.known ? data.epsilons.includes(epsilon) : epsilon >= ends[0] && epsilon <= ends[1];
  if (!fits) vain.push("eps");
  if (!fits) epsilon = Number(data.usual.eps);
  return { state: { ...state, epsilon }, vain };
}

function address(state) {
  const named = { world: state.world, defence: state.defence, n: state.n, eps: String(state.epsilon) };
  const query = new URLSearchParams(Object.entries(named).filter(([name, value]) => value !== data.usual[name]));
  return `${location.pathname.split("/").pop()}${query.size ? `?${query}` : ""}`;
}

// The numbers of the picture, as in its file: the defence, unless it is this product, then this product at each ε.
function rows(state) {
  const [secret, own] = [state.defence === "private", state.defence === "each"];
  const epsilons = [...new Set([...data.epsilons, ...(secret || own ? [state.epsilon] : [])])].sort((one, other) => one - other);
  const each = (defence) => (epsilon) => ({ defence, epsilon, ...compute({ ...state, defence, epsilon }) });
  const open = secret ? [] : [{ defence: state.defence, epsilon: "", ...compute(state) }];
  return [...(own ? epsilons.map(each("each")) : open), ...epsilons.map(each("private"))];
}

function program(state, epsilons) {
  const told = [state.world, state.defence, state.n].map((part) => JSON.stringify(part)).join(", ");
  const hidden = (data.hides || {})[`${state.world}|${state.defence}`];
  const text = data.hides && !hidden ? data.plain : data.program;
  const settings = `world, defence, number, epsilons = ${told}, [${epsilons.join(", ")}]`;
  return text.replace("@settings@", settings).replace("@table@", hidden || "");
}

// As dprelease/extras/lab/portal/picture.py draws it.
const across = (epsilon) => 46 + (Math.log(epsilon / 0.1) / Math.log(100)) * 302;
const points = (line) => line.map(([epsilon, share]) => `${across(epsilon).toFixed(1)},${(10 + (1 - share) * 244).toFixed(1)}`).join(" ");

function draw(told) {
  const curve = told.filter(({ defence }) => defence === "private");
  const open = told.filter(({ defence }) => defence !== "private");
  const line = (name) => curve.map((each) => [each.epsilon, each[name]]);
  const lines = { most: line("most"), won: line("won"), guessing: line("guessing") };
  lines.chosen = open.length === 1 ? data.epsilons.map((epsilon) => [epsilon, open[0].won]) : open.map((each) => [each.epsilon, each.won]);
  for (const [name, each] of Object.entries(lines))
    document.querySelector(`#figure > svg .${name}`).setAttribute("points", points(each));
}

// What the links save: files that are made here.
function save(files) {
  for (const [name, [type, content]] of Object.entries(files))
    byId(name).href = `data:${type};charset=utf-8,${encodeURIComponent(content)}`;
}

function show({ state, vain }) {
  const found = compute(state);
  const told = rows(state);
  const words = { guessing: percent(found.guessing), won: percent(found.won), most: atMost(found.most) };
  byId("vain").hidden = !vain.length;
  byId("vain").textContent = vain.length ? filled(data.words.ignored, { names: [...new Set(vain)].join(", ") }) : "";
  const key = { private: "verdict", each: "verdict_each" }[state.defence] || "verdict_open";
  const spent = shown(Math.round(10000 * Number(state.n) * state.epsilon) / 10000);
  byId("said").textContent = filled(data.words[key], { ...words, epsilon: shown(state.epsilon), count: state.n, spent });
  for (const [name, side] of [["guessing", "left"], ["won", "width"], ["most", "left"]]) {
    byId(`bar-${name}`).style[side] = `${(100 * found[name]).toFixed(2)}%`;
    byId(`share-${name}`).textContent = words[name];
  }
  draw(told);
  const picture = document.querySelector("#figure > svg");
  const alt = filled(data.words.alt, { ...words, attack: data.title });
  picture.setAttribute("aria-label", alt);
  picture.querySelector("title").textContent = alt;
  const text = program(state, told.filter(({ defence }) => defence === "private").map(({ epsilon }) => epsilon));
  const lines = told.map((each) => [each.defence, each.epsilon, each.guessing, each.won, each.most].join(","));
  save({
    svg: ["image/svg+xml", new XMLSerializer().serializeToString(picture)],
    csv: ["text/csv", `${["defence,epsilon,guessing,won,at_most", ...lines].join("\n")}\n`],
    py: ["text/x-python", text],
  });
  byId("program").textContent = text;
  byId("link").href = address(state);
  // One draw is written for the choice of the page; a server writes that of another.
  if (!byId("scene")) return;
  byId("scene").hidden = byId("link").getAttribute("href") !== data.written;
  byId("scene-other").hidden = !byId("scene").hidden || !data.served;
  byId("scene-other").firstChild.href = address(state);
}

function fill(state) {
  for (const name of ["world", "defence", "n"]) if (byId(name)) byId(name).value = state[name];
  byId("eps").value = String(state.epsilon);
}

// The two distributions of a mechanism, with the outputs that each has.
function pair(mechanism, epsilon) {
  const [here, there] = [108, 107];
  if (mechanism === "response") {
    const yes = bound(epsilon);
    return { values: [0, 1], p: [1 - yes, yes], q: [yes, 1 - yes] };
  }
  const far = { laplace: Math.min(Math.ceil(44 / epsilon), 200), gaussian: Math.ceil(9.5 / epsilon) + 1, uniform: 2 }[mechanism];
  const values = Array.from({ length: 2 * far + 2 }, (_, place) => there - far + place);
  const whole = sum(Array.from({ length: 4 * far + 1 }, (_, place) => Math.exp(-((epsilon * (place - 2 * far)) ** 2) / 2)));
  const r = Math.exp(-epsilon);
  const chance = (d, atEnd) => {
    if (mechanism === "uniform") return d <= 2 ? 1 / 5 : 0;
    if (mechanism === "gaussian") return Math.exp(-((epsilon * d) ** 2) / 2) / whole;
    return (Math.exp(-epsilon * d) / (1 + r)) * (atEnd ? 1 : 1 - r);
  };
  const of = (count) => values.map((value, place) => chance(Math.abs(value - count), place === 0 || place === values.length - 1));
  return { values, p: of(here), q: of(there) };
}

// By output: the false alarms, and what is missed, of the test that calls for it and for whatever tells more.
function tests({ p, q }) {
  const told = p.map((share, place) => (share === q[place] ? 0 : Math.log(share) - Math.log(q[place])));
  const kept = told.map((each) => (Number.isFinite(each) ? Math.round(each * 1e9) : each));
  const order = p.map((_, place) => place).sort((one, other) => (kept[one] === kept[other] ? one - other : kept[other] > kept[one] ? 1 : -1));
  const [wrong, missed] = [[], []];
  let [alarms, hits] = [0, 0];
  for (const place of order) {
    wrong[place] = Math.min(1, (alarms += q[place]));
    missed[place] = Math.max(0, 1 - (hits += p[place]));
  }
  return { wrong, missed };
}

const right = ({ p, q }) => (1 + sum(p.map((share, place) => Math.max(0, share - q[place])))) / 2;
const delta = ({ p, q }, epsilon) => sum(p.map((share, place) => Math.max(0, share - Math.exp(epsilon) * q[place])));
const digits = (number, many) => shown(Number(number.toPrecision(many)));

function promised({ mechanism, epsilon }, found) {
  if (mechanism === "uniform") return data.words.promised_never;
  if (mechanism !== "gaussian") return filled(data.words.promised, { rate: digits(Math.exp(epsilon), 4), epsilon: shown(epsilon) });
  return filled(data.words.promised_normal, { epsilon: shown(epsilon), delta: digits(delta(found, epsilon), 3) });
}

const placed = (line, [low, high]) =>
  line.map(([x, y]) => `${(46 + ((x - low) / (high - low)) * 302).toFixed(1)},${(10 + (1 - y) * 244).toFixed(1)}`).join(" ");

function drawPair({ mechanism, epsilon }, found) {
  const ticks = data.ticks[mechanism];
  const beside = ticks.length === 2 ? 0.75 : 2.5;
  const ends = [ticks[0][0] - beside, ticks[ticks.length - 1][0] + beside];
  const top = Math.max(...found.p, ...found.q);
  const tables = byId("tables");
  for (const old of tables.querySelectorAll(".across")) old.remove();
  for (const [value, text] of ticks) {
    const tick = document.createElementNS("http://www.w3.org/2000/svg", "text");
    const named = { class: "across", "text-anchor": "middle", x: 46 + ((value - ends[0]) / (ends[1] - ends[0])) * 302, y: 272 };
    for (const [name, each] of Object.entries(named)) tick.setAttribute(name, each);
    tick.textContent = text;
    tables.append(tick);
  }
  tables.querySelectorAll(".up")[1].textContent = digits(top, 2);
  for (const [name, masses] of [["first", found.p], ["second", found.q]]) {
    const seen = found.values.map((value, place) => [value, masses[place] / top]).filter(([value]) => value > ends[0] && value < ends[1]);
    const steps = seen.flatMap(([value, share]) => [[value - 0.5, share], [value + 0.5, share]]);
    tables.querySelector(`.${name}`).setAttribute("points", placed(steps, ends));
  }
  const { wrong, missed } = tests(found);
  const own = [[0, 1], ...wrong.map((each, place) => [each, missed[place]])].sort((one, other) => one[0] - other[0] || other[1] - one[1]);
  const spent = mechanism === "gaussian" ? delta(found, epsilon) : 0;
  const corner = (1 - spent) / (1 + Math.exp(epsilon));
  const bounds = mechanism === "uniform" ? [] : [[0, 1 - spent], [corner, corner], [1 - spent, 0]];
  byId("trade").querySelector(".own").setAttribute("points", placed(own, [0, 1]));
  byId("trade").querySelector(".bound").setAttribute("points", placed(bounds, [0, 1]));
}

function readPair(asked) {
  const vain = Object.keys(asked).filter((name) => name !== "m" && name !== "eps");
  const text = asked.eps ?? "1";
  let [mechanism, epsilon] = [asked.m ?? "laplace", /^\d{1,2}(\.\d{1,2})?$/.test(text) ? Number(text) : 0];
  if (!data.mechanisms.includes(mechanism)) [mechanism] = ["laplace", vain.push("m")];
  if (!(epsilon >= 0.1 && epsilon <= 10)) [epsilon] = [1, vain.push("eps")];
  return { mechanism, epsilon, vain };
}

function pairAddress({ mechanism, epsilon }) {
  const named = [["m", mechanism, "laplace"], ["eps", String(epsilon), "1"]].filter(([, value, usual]) => value !== usual);
  const query = new URLSearchParams(named.map(([name, value]) => [name, value]));
  return `${location.pathname.split("/").pop()}${query.size ? `?${query}` : ""}`;
}

function showPair(state) {
  const found = pair(state.mechanism, state.epsilon);
  byId("vain").hidden = !state.vain.length;
  byId("vain").textContent = state.vain.length ? filled(data.words.ignored, { names: [...new Set(state.vain)].join(", ") }) : "";
  byId("said").textContent = filled(data.words.right, { right: percent(right(found)) });
  byId("promised").textContent = promised(state, found);
  drawPair(state, found);
  const alt = filled(data.words.alt, { right: shown(inHundred(right(found))) });
  byId("trade").setAttribute("aria-label", alt);
  byId("trade").querySelector("title").textContent = alt;
  const { wrong, missed } = tests(found);
  const lines = found.values.map((value, place) => [value, found.p[place], found.q[place], wrong[place], missed[place]].join(","));
  const settings = `mechanism, epsilon, people = "${state.mechanism}", ${state.epsilon}, 1`;
  const text = data.programs[state.mechanism].replace(data.settings, settings);
  save({
    svg: ["image/svg+xml", new XMLSerializer().serializeToString(byId("tables"))],
    "svg-trade": ["image/svg+xml", new XMLSerializer().serializeToString(byId("trade"))],
    csv: ["text/csv", `${["value,p,q,false_alarms,missed", ...lines].join("\n")}\n`],
    py: ["text/x-python", text],
  });
  byId("program").textContent = text;
  byId("link").href = pairAddress(state);
}

function beginWith(readAll, showAll, addressOf, fillAll) {
  const asked = readAll(Object.fromEntries(new URLSearchParams(location.search)));
  fillAll(asked);
  showAll(asked);
  byId("show").hidden = true;
  const form = byId("choice");
  form.addEventListener("input", () => {
    const chosen = readAll(Object.fromEntries(new FormData(form)));
    showAll(chosen);
    history.replaceState(null, "", addressOf(chosen));
  });
  form.addEventListener("submit", (event) => event.preventDefault());
}

function fillPair({ mechanism, epsilon }) {
  byId("m").value = mechanism;
  byId("eps").value = String(epsilon);
}

if (data.attack) beginWith(read, show, ({ state }) => address(state), ({ state }) => fill(state));
if (data.mechanisms) beginWith(readPair, showPair, pairAddress, fillPair);
