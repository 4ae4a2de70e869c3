// A model of a release, tried in the visitor's browser: nothing typed leaves it. As dprelease/model/function does in Python.
"use strict";

const NUMBER = /^[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,4})?$/;
const DAY_MS = 86400000;
const NORMAL95 = 1.959963984540054;

// A value as a number: null for what is none. Days since 1970-01-01.
function numberOf(input, raw) {
  if (typeof raw !== "string" && typeof raw !== "number") return null;
  const text = String(raw).trim();
  if (input.type !== "date") return NUMBER.test(text) && Number.isFinite(Number(text)) ? Number(text) : null;
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : NaN;
  return Number.isNaN(day) || new Date(day).toISOString().slice(0, 10) !== text ? null : day / DAY_MS;
}

// A number within the bounds, or the place of a bin or category; null for what gives no prediction.
function readInput(input, raw) {
  if (input.categories) {
    const place = input.categories.indexOf(String(raw).trim());
    return place < 0 ? null : place;
  }
  const found = numberOf(input, raw);
  if (found === null) return null;
  const number = Math.min(Math.max(found, input.lower), input.upper);
  return input.part.table ? input.starts.filter((start) => start <= number).length : number;
}

// The function for a row and the values that it takes: of several that of its group, which one of the values tells.
function ofGroup(model, raws) {
  if (!model.groups) return [model, raws];
  const place = readInput(model.inputs[model.by], raws[model.by]);
  return place === null ? [model, raws] : [model.groups[place], raws.filter((_, at) => at !== model.by)];
}

// What an input adds to each score.
function added({ part }, value) {
  if (part.table) return part.table[value];
  if (part.slopes) return part.slopes.map((slope) => ((value - part.origin) / part.width) * slope);
  return part.centres.map((centre, place) => {
    const apart = (value - centre) / part.widths[place];
    return part.factor * apart * apart + part.added[place];
  });
}

// Values, what each input adds, and the scores; null where a value gives no prediction.
function scored(model, raws) {
  const values = model.inputs.map((input, place) => readInput(input, raws[place]));
  if (values.includes(null)) return null;
  const parts = model.inputs.map((input, place) => added(input, values[place]));
  const scores = parts.reduce((sums, own) => sums.map((sum, place) => sum + own[place]), model.base);
  return { values, parts, scores };
}

const logistic = (score) => (score >= 0 ? 1 / (1 + Math.exp(-score)) : Math.exp(score) / (1 + Math.exp(score)));
const limited = (model, value) => Math.min(Math.max(value, model.lower ?? -Infinity), model.upper ?? Infinity);
const leastOf = (numbers) => numbers.indexOf(Math.min(...numbers));

// How much belongs to each output: probabilities, or memberships of groups.
function shares(model, scores) {
  if (model.link === "bayes") {
    const most = Math.max(...scores);
    const powers = scores.map((score) => Math.exp(score - most));
    const whole = powers.reduce((sum, power) => sum + power, 0);
    return powers.map((power) => power / whole);
  }
  const least = Math.min(...scores);
  if (model.link === "nearest" || model.fuzziness <= 1) return scores.map((_, place) => Number(place === leastOf(scores)));
  const own = scores.map((square) => (square === 0 ? 1 : least === 0 ? 0 : (least / square) ** (1 / (model.fuzziness - 1))));
  const whole = own.reduce((sum, part) => sum + part, 0);
  return own.map((part) => part / whole);
}

// 95 % of what noise may have changed in the one score, where the file states its covariance.
function rangeOf(model, { values, scores }) {
  if (!model.covariance) return null;
  const row = [1, ...model.design.map(([input, place]) => (place === null ? values[input] : Number(values[input] === place)))];
  const variance = row.reduce(
    (sum, one, i) => sum + one * row.reduce((inner, other, j) => inner + model.covariance[i][j] * other, 0),
    0,
  );
  const half = NORMAL95 * Math.sqrt(Math.max(0, variance));
  const ends = [scores[0] - half, scores[0] + half];
  return ends.map((end) => (model.link === "identity" ? limited(model, end) : logistic(end)));
}

// The value with its range, and a share for each output where there are several or the one is a class.
function predicted(model, found) {
  const { scores } = found;
  if (model.link === "identity") return { value: limited(model, scores[0]), range: rangeOf(model, found) };
  if (model.link === "logit") return { value: logistic(scores[0]), range: rangeOf(model, found) };
  if (model.link === "project") return { value: scores };
  const each = shares(model, scores);
  return { value: model.link === "bayes" ? each.indexOf(Math.max(...each)) : leastOf(scores), shares: each };
}

if (typeof document !== "undefined") {
  const { models, words } = JSON.parse(document.getElementById("models").textContent);
  const language = document.documentElement.lang;
  const filled = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? values[name] : whole));
  const say = (key, values = {}) => filled(words[`model_${key}`], values);
  const element = (tag, text, look = "") => Object.assign(document.createElement(tag), { textContent: text, className: look });
  const point = new Intl.NumberFormat(language).formatToParts(0.5).find(({ type }) => type === "decimal").value;

  // Steps of 10^place: thousands apart by a narrow space, a true minus, no digit below the step.
  const even = (number) => (Math.abs(number % 1) === 0.5 ? 2 * Math.round(number / 2) : Math.round(number));
  const written = (number, place, round = even) => {
    const steps = round(place < 0 ? number * 10 ** -place : number / 10 ** place);
    const text = (place < 0 ? steps / 10 ** -place : steps * 10 ** place).toFixed(Math.max(0, -place));
    const [whole, part] = text.replace(/^-(?=0*\.?0*$)/, "").replace("-", "\u2212").split(".");
    const grouped = whole.replace(/\B(?=(\d{3})+$)/g, "\u202f");
    return part === undefined ? grouped : `${grouped}${point}${part}`;
  };
  const down = (number) => Math.floor(number + 1e-9);
  const up = (number) => Math.ceil(number - 1e-9);
  const three = (number) => (number === 0 ? 0 : Math.max(-8, Math.floor(Math.log10(Math.abs(number))) - 2));
  // As tables of releases: steps of at most a quarter of the range; without one three digits.
  const placeOf = (number, range) => (range && range[1] > range[0] ? Math.max(-8, Math.floor(Math.log10((range[1] - range[0]) / 4))) : three(number));
  const signed = (number, place) => (even(number / 10 ** place) > 0 ? "+" : "") + written(number, place);
  const short = (number) => written(number, Math.max(-3, -(String(Number(number.toFixed(3))).split(".")[1] || "").length));
  const percent = (share, place = share > 0.001 && share < 0.999 ? -1 : -2, round = even) => `${written(100 * share, place, round)}\u00a0%`;

  // A bar from 0 to a share of the room, or to either side of its middle.
  const bar = (share, both = false) => {
    const room = element("span", "", both ? "room both" : "room");
    const own = element("span", "", share < 0 ? "grown less" : "grown");
    const width = Math.min(1, Math.abs(share)) * (both ? 50 : 100);
    own.style.width = `${width}%`;
    own.style.left = `${both ? (share < 0 ? 50 - width : 50) : 0}%`;
    room.setAttribute("aria-hidden", "true");
    room.append(own);
    return room;
  };

  const table = (caption, heads, lines) => {
    const made = element("table", "", "parts");
    made.append(element("caption", caption));
    const head = made.createTHead().insertRow();
    for (const [place, each] of heads.entries()) {
      const cell = element(place < 2 ? "th" : "td", each, place === 1 ? "number" : "");
      if (place < 2) cell.scope = "col";
      head.append(cell);
    }
    const body = made.createTBody();
    for (const [name, value, share, both] of lines) {
      const row = body.insertRow();
      const first = element("th", name);
      first.scope = "row";
      const drawn = element("td", "", "drawn");
      drawn.append(bar(share, both));
      row.append(first, element("td", value, "number"), drawn);
    }
    return made;
  };

  const shownValue = (input, value, raw) => (input.labels ? input.labels[value] : input.type === "date" ? raw : short(value));

  // What each input adds: to one score, or to the best against the next. Of a line beside its lower bound.
  function contributions(model, found) {
    const order = found.scores.map((_, place) => place).sort((one, other) => found.scores[other] - found.scores[one]);
    const of = (parts) => (order.length > 1 ? parts[order[0]] - parts[order[1]] : parts[0]);
    const least = (input) => (input.part.slopes ? of(added(input, input.lower)) : 0);
    return {
      adds: found.parts.map((parts, place) => of(parts) - least(model.inputs[place])),
      from: model.inputs.reduce((sum, input) => sum + least(input), of(model.base)),
      first: model.outputs[order[0]],
      second: model.outputs[order[1]],
    };
  }

  function answer(whole, typed, result) {
    const [model, raws] = ofGroup(whole, typed);
    const found = scored(model, raws);
    if (found === null) {
      const wrong = model.inputs.filter((input, place) => readInput(input, raws[place]) === null).map(({ label }) => label);
      result.firstElementChild.replaceChildren(element("p", say("needs", { names: wrong.join(", ") }), "answer"));
      return result.lastElementChild.replaceChildren();
    }
    const told = predicted(model, found);
    const [children, live] = [[], []];
    const large = (text, small) => {
      const line = element("p", text, "number-large");
      line.append(" ", element("small", small));
      live.push(line);
    };
    if (told.range) {
      const scale = model.link === "logit" ? 100 : 1;
      const place = placeOf(scale * told.value, told.range.map((end) => scale * end));
      const write = (number, round) => (scale === 1 ? written(number, place, round) : percent(number, place, round));
      large(write(told.value), scale === 1 ? model.measure : say("probability", { of: model.positive }));
      live.push(element("p", say("range", { lower: write(told.range[0], down), upper: write(told.range[1], up) })));
    } else if (model.link === "identity") large(written(told.value, three(told.value)), model.measure);
    else if (model.link === "logit") large(percent(told.value), say("probability", { of: model.positive }));
    else if (model.link !== "project") large(model.outputs[told.value], say(model.link === "bayes" ? "likeliest" : "nearest", { of: model.measure }));
    if (["identity", "logit"].includes(model.link) && !told.range) children.push(element("p", say("no_range"), "note"));
    const cut = model.inputs.filter((input, place) => {
      const number = input.categories ? null : numberOf(input, raws[place]);
      return number !== null && (number < input.lower || number > input.upper);
    });
    for (const { label, ends } of cut) children.push(element("p", say("cut", { name: label, lower: ends[0], upper: ends[1] }), "note"));
    if (told.shares && model.link !== "nearest") {
      const lines = told.shares.map((share, place) => [model.outputs[place], percent(share), share]);
      children.push(table(say(model.link === "bayes" ? "classes" : "belongs"), [say("head_class"), say("head_share"), ""], lines));
    }
    if (model.link === "project") {
      const most = Math.max(...told.value.map(Math.abs)) || 1;
      children.push(table(say("components"), [say("head_class"), say("head_value"), ""], told.value.map((value, place) => [model.outputs[place], signed(value, -3), value / most, true])));
    } else if (model.link === "nearest" || model.link === "fuzzy") {
      const own = found.parts.map((parts) => parts[told.value]);
      const most = Math.max(...own) || 1;
      const lines = own.map((part, place) => [named(model, found, raws, place), written(Math.sqrt(part), -2), part / most]);
      children.push(table(say("apart", { name: model.outputs[told.value] }), [say("head_input"), say("head_widths"), ""], lines));
    } else {
      const { adds, from, first, second } = contributions(model, found);
      const most = Math.max(...adds.map(Math.abs));
      const place = model.link === "identity" ? placeOf(most, told.range) : -2;
      const lines = adds.map((part, at) => [named(model, found, raws, at), signed(part, place), part / (most || 1), true]);
      const key = model.link === "identity" ? "adds" : model.link === "logit" ? "adds_odds" : "adds_classes";
      const start = model.link === "identity" ? written(from, place) : percent(logistic(from));
      const sentence = model.inputs.some(({ part }) => part.slopes) && key !== "adds_classes" ? `${key}_from_lower` : key;
      children.push(table(say(sentence, { start, measure: model.measure, of: model.positive, first, second }), [say("head_input"), say("head_adds"), ""], lines));
    }
    result.firstElementChild.replaceChildren(...live);
    return result.lastElementChild.replaceChildren(...children);
  }
  const named = (model, found, raws, place) => say("input_is", { name: model.inputs[place].label, value: shownValue(model.inputs[place], found.values[place], raws[place]) });

  for (const form of document.querySelectorAll("form[data-model]")) {
    const model = models.find(({ id }) => id === form.dataset.model);
    const result = form.nextElementSibling;
    const fields = [...form.elements].filter(({ name }) => name);
    const show = () => answer(model, fields.map((field) => (field.validity.badInput ? "" : field.value)), result);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", show);
    form.hidden = result.hidden = false;
    show();
  }
}
