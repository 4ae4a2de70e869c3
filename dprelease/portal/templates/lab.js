// What the lab's pages add in a browser: what is chosen is computed here, without a server. Nothing needs it to be read.
// The same formulas as dprelease/lab; tests/browser/test_lab.py holds both to the same numbers.
"use strict";

const byId = (id) => document.getElementById(id);
const data = byId("data") ? JSON.parse(byId("data").textContent) : {};
const POINT = new Intl.NumberFormat(document.documentElement.lang)
  .formatToParts(0.5)
  .find(({ type }) => type === "decimal").value;
const filled = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? values[name] : whole));
const shown = (number) => String(number).replace(".", POINT);
const percent = (share) => filled(data.words.percent, { share: shown(Math.round(1000 * share) / 10) });
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
  const secret = state.defence === "private";
  const epsilons = [...new Set([...data.epsilons, ...(secret ? [state.epsilon] : [])])].sort((one, other) => one - other);
  const first = secret ? [] : [{ defence: state.defence, epsilon: "", ...compute(state) }];
  const each = (epsilon) => ({ defence: "private", epsilon, ...compute({ ...state, defence: "private", epsilon }) });
  return [...first, ...epsilons.map(each)];
}

function program(state, epsilons) {
  const told = [state.world, state.defence, state.n].map((part) => JSON.stringify(part)).join(", ");
  const hidden = (data.hides || {})[`${state.world}|${state.defence}`];
  const text = data.hides && !hidden ? data.plain : data.program;
  const settings = `world, defence, number, epsilons = ${told}, [${epsilons.join(", ")}]`;
  return text.replace("@settings@", settings).replace("@table@", hidden || "");
}

// As dprelease/portal/lab_picture.py draws it.
const across = (epsilon) => 46 + (Math.log(epsilon / 0.1) / Math.log(100)) * 302;
const points = (line) => line.map(([epsilon, share]) => `${across(epsilon).toFixed(1)},${(10 + (1 - share) * 244).toFixed(1)}`).join(" ");

function draw(told) {
  const curve = told.filter(({ epsilon }) => epsilon !== "");
  const open = told.find(({ epsilon }) => epsilon === "");
  const line = (name) => curve.map((each) => [each.epsilon, each[name]]);
  const lines = { most: line("most"), won: line("won"), guessing: line("guessing") };
  lines.chosen = open ? data.epsilons.map((epsilon) => [epsilon, open.won]) : [];
  for (const [name, each] of Object.entries(lines))
    document.querySelector(`#figure > svg .${name}`).setAttribute("points", points(each));
}

function show({ state, vain }) {
  const found = compute(state);
  const told = rows(state);
  const words = { guessing: percent(found.guessing), won: percent(found.won), most: percent(found.most) };
  byId("vain").hidden = !vain.length;
  byId("vain").textContent = vain.length ? filled(data.words.ignored, { names: [...new Set(vain)].join(", ") }) : "";
  const key = state.defence === "private" ? "verdict" : "verdict_open";
  byId("said").textContent = filled(data.words[key], { ...words, epsilon: shown(state.epsilon) });
  for (const [name, side] of [["guessing", "left"], ["won", "width"], ["most", "left"]]) {
    byId(`bar-${name}`).style[side] = `${(100 * found[name]).toFixed(2)}%`;
    byId(`share-${name}`).textContent = words[name];
  }
  draw(told);
  const picture = document.querySelector("#figure > svg");
  const alt = filled(data.words.alt, { ...words, attack: data.title });
  picture.setAttribute("aria-label", alt);
  picture.querySelector("title").textContent = alt;
  const text = program(state, told.filter(({ epsilon }) => epsilon !== "").map(({ epsilon }) => epsilon));
  const lines = told.map((each) => [each.defence, each.epsilon, each.guessing, each.won, each.most].join(","));
  const files = {
    svg: ["image/svg+xml", new XMLSerializer().serializeToString(picture)],
    csv: ["text/csv", `${["defence,epsilon,guessing,won,at_most", ...lines].join("\n")}\n`],
    py: ["text/x-python", text],
  };
  for (const [name, [type, content]] of Object.entries(files))
    byId(name).href = `data:${type};charset=utf-8,${encodeURIComponent(content)}`;
  byId("program").textContent = text;
  byId("link").href = address(state);
}

function fill(state) {
  for (const name of ["world", "defence", "n"]) if (byId(name)) byId(name).value = state[name];
  byId("eps").value = String(state.epsilon);
}

function begin() {
  const asked = read(Object.fromEntries(new URLSearchParams(location.search)));
  fill(asked.state);
  show(asked);
  byId("show").hidden = true;
  const form = byId("choice");
  form.addEventListener("input", () => {
    const chosen = read(Object.fromEntries(new FormData(form)));
    show(chosen);
    history.replaceState(null, "", address(chosen.state));
  });
  form.addEventListener("submit", (event) => event.preventDefault());
}

if (data.attack && byId("choice")) begin();
