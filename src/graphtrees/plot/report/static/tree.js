// The tree an example went through, its way lit; a large tree is shown along the way only.
const LEVEL = 4.2; // lengths are in font sizes
const SPREAD = 2.6;
const SWING = 1; // pointers pass beside nodes
const HALF = { width: 1.8, height: 1.6 };
const FONT = { least: 7, low: 8.5, high: 13 }; // pixels: as wide treesones, deep ones and small ones are drawn
const TALL = 380; // pixels that a tree should not exceed

// Gives a function that lights the node of a step: 1 is the root.
function makeMap(box, tree, path, go) {
  const way = [...path.steps.map((step) => step.n), path.leaf];
  const place = tree.whole ? placesOf(tree) : alongTheWay(tree, way);
  const { svg, left, top, width, height } = mapFrame(tree, [...place.values()]);
  const pointers = draw("g");
  const groups = [...place].map(([node, at]) => nodeBox(tree, node, at, way, go));
  const branches = [...place.keys()].flatMap((node) => branchesOf(tree, node, place, way));
  svg.append(draw("g", {}, branches), draw("g", {}, groups), pointers);
  box.replaceChildren(svg);
  return (at) => {
    const here = way[at - 1];
    for (const group of groups) group.classList.toggle("here", group.dataset.node === String(here));
    const told = tree.nodes[here];
    const used = told && told.s ? pointerTo(tree, place, here, told) : [];
    pointers.replaceChildren(...used);
    if (!place.has(here)) return;
    const [x, y] = place.get(here);
    box.scrollLeft = ((x - left) / width) * svg.clientWidth - box.clientWidth / 2;
    box.scrollTop = ((y - top) / height) * svg.clientHeight - box.clientHeight / 2;
  };
}

const placesOf = (tree) =>
  new Map(Object.entries(tree.nodes).map(([node, told]) => [Number(node), told.xy]));

// Node by node downwards, to the side that was taken, with a stub for the other.
function alongTheWay(tree, way) {
  const place = new Map();
  let x = 0;
  way.forEach((node, depth) => {
    place.set(node, [x, depth * LEVEL]);
    const { q, left, right } = tree.nodes[node];
    if (q === undefined) return;
    const goesRight = way[depth + 1] === right;
    const side = goesRight ? SPREAD : -SPREAD;
    place.set(goesRight ? left : right, [x - side, (depth + 1) * LEVEL]);
    x += side;
  });
  return place;
}

function mapFrame(tree, places) {
  const [xs, ys] = [places.map((p) => p[0]), places.map((p) => p[1])];
  const left = Math.min(...xs) - HALF.width - SWING;
  const top = Math.min(...ys) - HALF.height;
  const width = Math.max(...xs) - left + HALF.width + SWING;
  const height = Math.max(...ys) - top + HALF.height;
  const viewBox = `${left} ${top} ${width} ${height}`;
  const svg = draw("svg", { viewBox, role: "img", "aria-label": `The way through ${tree.title}` });
  // What would be too small to read scrolls instead.
  setVars(svg, {
    "min-width": `${width * FONT.least}px`,
    "max-width": `${width * clamp(TALL / height, FONT.low, FONT.high)}px`,
    "aspect-ratio": `${width} / ${height}`,
  });
  return { svg, left, top, width, height };
}

function branchesOf(tree, node, place, way) {
  const told = tree.nodes[node];
  if (!told || told.q === undefined) return [];
  const [x1, y1] = place.get(node);
  const next = way[way.indexOf(node) + 1];
  const children = [told.left, told.right].filter((child) => place.has(child));
  return children.map((child) => {
    const taken = way.includes(node) && child === next;
    const [x2, y2] = place.get(child);
    const ends = { x1, y1: y1 + 0.9, x2, y2: y2 - 0.9 };
    return draw("line", { class: taken ? "branch taken" : "branch", ...ends });
  });
}

function nodeBox(tree, node, [x, y], way, go) {
  const told = tree.nodes[node] || {};
  const leaf = told.q === undefined;
  const wide = leaf ? 1.8 : 2.8;
  const met = way.includes(node);
  const tone = told.hue === undefined ? (told.shade < 0 ? "minus" : "plus") : `hue-${told.hue}`;
  const kind = `${met ? "met " : ""}${leaf ? "end" : "ask"} ${tone}`;
  const properties = {
    class: kind,
    "data-node": node,
    transform: `translate(${x} ${y})`,
    vars: { "--s": Math.abs(told.shade || 0) },
    click: met ? () => go(way.indexOf(node) + 1) : null,
  };
  return draw(
    "g",
    properties,
    draw("title", {}, nodeWords(node, told)),
    draw("rect", { x: -wide / 2, y: -0.9, width: wide, height: 1.8, rx: leaf ? 0.9 : 0.45 }),
    leaf ? null : draw("text", {}, node),
  );
}

function nodeWords(node, told) {
  if (told.n === undefined) return "not on the way";
  const seen = `${many(told.n)} ${told.n === 1 ? "example" : "examples"} in training`;
  if (told.q === undefined) return `leaf ${node}: ${told.says} · ${seen}`;
  return `node ${node}: ${told.q} > ${told.t}? · ${seen}`;
}

// A dashed arrow to the ancestor whose subset is used: along the branches, beside the nodes between.
function pointerTo(tree, place, node, told) {
  const above = (child) =>
    Number(Object.keys(tree.nodes).find((k) => [tree.nodes[k].left, tree.nodes[k].right].includes(child)));
  const sideOf = (child, parent) => (place.get(child)[0] < place.get(parent)[0] ? -1 : 1);
  let [child, up] = [node, above(node)];
  const [x, y] = place.get(node);
  const points = [[x + 0.7 * sideOf(node, up), y - 0.9]];
  while (up !== told.p) {
    const [u, v] = place.get(up);
    const beside = u + 1.75 * sideOf(child, up);
    points.push([beside, v + 0.9], [beside, v - 0.9]);
    [child, up] = [up, above(up)];
  }
  const [x2, y2] = [place.get(up)[0] + 0.7 * sideOf(child, up), place.get(up)[1] + 0.9];
  const tone = told.s === "+" ? "plus" : "minus";
  const way = [...points, [x2, y2 + 0.8]].map((point) => point.join(" ")).join("L");
  const [near, next] = [points[0], points[1] || [x2, y2]];
  const text = { x: near[0] * 0.6 + next[0] * 0.4, y: near[1] * 0.6 + next[1] * 0.4 };
  return [
    draw("path", { class: `pointer ${tone}`, d: `M${way}` }),
    draw("path", { class: `tip ${tone}`, d: `M${x2} ${y2}l-0.45 0.9h0.9z` }),
    draw("text", { class: `pointer-text ${tone}`, ...text }, `S${told.s}`),
  ];
}
