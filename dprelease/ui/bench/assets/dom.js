// Makes elements: no markup is parsed, so no text of a person can become one.

const SVG = "http://www.w3.org/2000/svg";

/** An HTML element. Attributes that are null or false are left out; `on…` are listeners; children may be nested lists. */
export function h(tag, attributes, ...children) {
  return dressed(document.createElement(tag), attributes, children);
}

/** An SVG element. */
export function s(tag, attributes, ...children) {
  return dressed(document.createElementNS(SVG, tag), attributes, children);
}

function dressed(element, attributes, children) {
  for (const name in attributes) {
    const value = attributes[name];
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((each) => each !== null && each !== undefined && each !== false));
  return element;
}

/** A sentence whose places are filled with elements or texts. */
export function filled(sentence, values) {
  return sentence.split(/\{(\w+)\}/).map((part, place) => (place % 2 ? (values[part] ?? "") : part));
}

/** Sets a text where it differs, so that what is read out loud is not read again. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
