// Elements. Text from data only ever becomes a text node.
const SVG = "http://www.w3.org/2000/svg";
const byId = (id) => document.getElementById(id);

function fill(node, properties, children) {
  for (const [name, value] of Object.entries(properties || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "click") node.addEventListener("click", value);
    else if (name === "vars") setVars(node, value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat()) {
    if (child === null || child === undefined) continue;
    node.append(child.nodeType ? child : document.createTextNode(String(child)));
  }
  return node;
}

// Styles that depend on data go through the object model: the page allows no other.
function setVars(node, values) {
  for (const [name, value] of Object.entries(values)) node.style.setProperty(name, value);
}

const make = (tag, properties, ...children) =>
  fill(document.createElement(tag), properties, children);
const draw = (tag, properties, ...children) =>
  fill(document.createElementNS(SVG, tag), properties, children);
const button = (properties, ...children) =>
  make("button", { type: "button", ...properties }, ...children);
const quiet = (...children) => make("p", { class: "quiet" }, ...children);

function say(id, text) {
  byId(id).textContent = text;
}

// The content of a data block, parsed when it is asked for; null where it is not there (yet).
const MOST_KEPT = 60;
const kept = new Map();
function block(id) {
  if (kept.has(id)) return kept.get(id);
  const found = byId(id);
  if (!found) return null;
  if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value);
  kept.set(id, JSON.parse(found.textContent));
  return kept.get(id);
}

function onResize(node, run) {
  let width = node.clientWidth;
  new ResizeObserver(() => {
    if (node.clientWidth === width || !node.clientWidth) return;
    width = node.clientWidth;
    run();
  }).observe(node);
}

// Buttons of which one is pressed; gives a function that presses one of them.
function makeSwitch(box, choices, chosen, choose) {
  const press = (key) => {
    for (const one of box.children) one.setAttribute("aria-pressed", one.dataset.key === key);
  };
  const pressed = (key) => () => {
    press(key);
    choose(key);
  };
  box.replaceChildren(
    ...choices.map(([key, text]) => button({ "data-key": key, click: pressed(key) }, text)),
  );
  press(chosen);
  return press;
}
