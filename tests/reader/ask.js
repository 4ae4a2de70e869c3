// The questions by the browser's module: `node ask.js MODULE QUESTIONS FOLDER`.
"use strict";
const fs = require("fs");
const [module_, questions, folder] = process.argv.slice(2);
require(module_);
const { load, table, combine, Refused } = globalThis.dprelease;
const held = new Map();
const loaded = (name, key) => load(async (path) => new Uint8Array(fs.readFileSync(`${folder}/${name}/${path}`)), { key });
const release = async (name) => held.get(name) ?? held.set(name, await loaded(name)).get(name);

async function found([kind, ...given]) {
  if (kind === "cell" || kind === "cells") {
    const own = table(await release(given[0]), given[1]);
    const chosen = own.filter(({ keys }) => Object.entries(given[2]).every(([key, values]) => [values].flat().includes(keys[key])));
    return kind === "cell" ? chosen[0] : chosen;
  }
  if (kind === "fact") return (await release(given[0])).certificate[given[1]][given[2]];
  if (kind === "load") return (await loaded(...given)) && "held";
  const parts = [];
  for (const each of given) parts.push(Array.isArray(each) ? await found(each) : each);
  return kind === "grade" ? parts[0].grade : combine(kind, ...parts);
}

async function answer(asked) {
  try {
    const own = await found(asked);
    if (own === null || typeof own !== "object") return String(own);
    return JSON.stringify([own.value, own.lower95, own.upper95, own.confidence, own.unit]);
  } catch (error) {
    if (error instanceof Refused) return "refused";
    throw error;
  }
}

(async () => {
  const answers = {};
  for (const [name, asked] of Object.entries(JSON.parse(fs.readFileSync(questions)))) answers[name] = await answer(asked);
  console.log(JSON.stringify(answers));
})();
