// Elements. Text from data only ever becomes a text node.
const SVG = "http://www.w3.org/2000/svg";
const byId = (id) => document.getElementById(id);

function fill(node, properties, children) {
  for (const [name, value] of Object.entries(properties || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") for (const [event, run] of Object.entries(value)) node.addEventListener(event, run);
    else if (name === "vars") for (const [key, v] of Object.entries(value)) node.style.setProperty(key, v);
    else node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children) {
    if (child === null || child === undefined) continue;
    node.append(child.nodeType ? child : document.createTextNode(String(child)));
  }
  return node;
}

const make = (tag, properties, ...children) => fill(document.createElement(tag), properties, children);
const draw = (tag, properties, ...children) => fill(document.createElementNS(SVG, tag), properties, children);

function say(id, text) {
  byId(id).textContent = text;
}

// The content of a data block, parsed when it is asked for; null where it is not there (yet).
function readBlock(id) {
  const block = byId(id);
  return block ? JSON.parse(block.textContent) : null;
}

const kept = new Map();
function block(id) {
  if (!kept.has(id)) {
    const content = readBlock(id);
    if (content === null) return null;
    if (kept.size > 60) kept.delete(kept.keys().next().value);
    kept.set(id, content);
  }
  return kept.get(id);
}

// Numbers as people read them.
const round = (value, digits = 4) => (value === null ? "missing" : String(Number(value.toPrecision(digits))));
const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)} %`;
const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

// Three to six even values that cover a range.
function ticks(low, high) {
  const span = high - low || Math.abs(high) || 1;
  const rough = span / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * power).find((k) => k >= rough);
  const found = [];
  for (let v = Math.ceil(low / step - 1e-9) * step; v <= high + step * 1e-9; v += step) {
    found.push(Number(v.toPrecision(12)));
  }
  return found;
}

// Buttons of which one is pressed.
function makeSwitch(box, choices, chosen, choose) {
  const press = (key) => {
    for (const button of box.children) button.setAttribute("aria-pressed", button.dataset.key === key);
  };
  box.replaceChildren(...choices.map(([key, text]) => make("button", {
    type: "button", "data-key": key, on: { click: () => { press(key); choose(key); } },
  }, text)));
  press(chosen);
  return press;
}
