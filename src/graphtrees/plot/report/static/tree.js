// The tree an example went through, its way lit; a large tree is shown along the way only.
const LEVEL = 5.4;
const SPREAD = 2.6;

function makeMap(box, tree, path, go) {
  const way = [...path.steps.map((step) => step.n), path.leaf];
  const place = tree.whole ? new Map(Object.entries(tree.nodes).map(([node, told]) => [Number(node), told.xy])) : alongTheWay(tree, way);
  const xs = [...place.values()].map((p) => p[0]);
  const ys = [...place.values()].map((p) => p[1]);
  const swing = 3.5; // pointers swing out at the sides
  const left = Math.min(...xs) - 1.8 - swing;
  const top = Math.min(...ys) - 1.6;
  const width = Math.max(...xs) - left + 1.8 + swing;
  const height = Math.max(...ys) - top + 1.6;
  const svg = draw("svg", { viewBox: `${left} ${top} ${width} ${height}`, role: "img", "aria-label": `The way through ${tree.title}` });
  svg.style.setProperty("min-width", `${Math.min(width * 7, 1600)}px`);
  svg.style.setProperty("aspect-ratio", `${width} / ${height}`);
  svg.style.setProperty("max-width", `${Math.max(width * 13, 200)}px`);
  svg.style.setProperty("margin", "0 auto");
  const branches = draw("g");
  const boxes = draw("g");
  const pointers = draw("g");
  svg.append(branches, boxes, pointers);
  const groups = new Map();
  for (const [node, at] of place) {
    const told = tree.nodes[node];
    const met = way.includes(node);
    for (const child of told && told.q !== undefined ? [told.left, told.right] : []) {
      if (!place.has(child)) continue;
      const to = place.get(child);
      const taken = met && way[way.indexOf(node) + 1] === child;
      branches.append(draw("line", { class: taken ? "branch taken" : "branch", x1: at[0], y1: at[1] + 0.9, x2: to[0], y2: to[1] - 0.9 }));
    }
    const group = nodeBox(node, told, at, met);
    if (met) group.addEventListener("click", () => go(way.indexOf(node) + 1));
    groups.set(node, group);
    boxes.append(group);
  }
  box.replaceChildren(svg);
  return (at) => {
    const here = way[at - 1];
    for (const [node, group] of groups) group.classList.toggle("here", node === here);
    pointers.replaceChildren();
    const told = tree.nodes[here];
    if (told && told.s) pointers.append(...pointerTo(place.get(here), place.get(told.p), told.s));
    if (place.has(here) && svg.clientWidth > box.clientWidth) {
      box.scrollLeft = ((place.get(here)[0] - left) / width) * svg.clientWidth - box.clientWidth / 2;
    }
  };
}

function nodeBox(node, told, at, met) {
  const leaf = !told || told.q === undefined;
  const w = leaf ? 1.8 : 2.8;
  const kind = `${met ? "met" : ""} ${leaf ? "end" : "ask"} ${told && told.shade < 0 ? "minus" : "plus"}`;
  const words = !told ? "not on the way" : leaf ? `leaf ${node}: ${told.says} · ${told.n} examples in training` : `node ${node}: ${told.q} > ${told.t}? · ${told.n} examples in training`;
  return draw("g", { class: kind, "data-node": node, transform: `translate(${at[0]} ${at[1]})`, vars: { "--s": Math.abs((told && told.shade) || 0) } },
    draw("title", {}, words),
    draw("rect", { x: -w / 2, y: -0.9, width: w, height: 1.8, rx: leaf ? 0.9 : 0.45 }),
    leaf ? null : draw("text", {}, node));
}

// Node by node downwards, to the side that was taken, with a stub for the other.
function alongTheWay(tree, way) {
  const place = new Map();
  let x = 0;
  way.forEach((node, depth) => {
    place.set(node, [x, depth * LEVEL]);
    const told = tree.nodes[node];
    if (told.q === undefined) return;
    const right = way[depth + 1] === told.right;
    place.set(right ? told.left : told.right, [x + (right ? -SPREAD : SPREAD), (depth + 1) * LEVEL]);
    x += right ? SPREAD : -SPREAD;
  });
  return place;
}

function pointerTo(from, to, sign) {
  const side = from[0] < to[0] ? -1 : 1;
  const start = [from[0] + side * 1.4, from[1]];
  const end = [to[0] + side * 1.5, to[1]];
  const out = side * Math.max(side * start[0], side * end[0]) + side * 2.2;
  const tone = sign === "+" ? "plus" : "minus";
  const middle = [(start[0] + 6 * out + end[0]) / 8, (start[1] + end[1]) / 2];
  return [
    draw("path", { class: `pointer ${tone}`, d: `M${start[0]} ${start[1]}C${out} ${start[1]} ${out} ${end[1]} ${end[0] + side * 0.7} ${end[1]}` }),
    draw("path", { class: `tip ${tone}`, d: `M${end[0]} ${end[1]}l${side * 1} -0.55v1.1z` }),
    draw("text", { class: `pointer-text ${tone}`, x: middle[0], y: middle[1] }, `S${sign}`),
  ];
}
