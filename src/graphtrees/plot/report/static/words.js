// What is said beside the picture. The rules themselves come in words; here they are only placed.
const KEYS = "Keys: ← → step, ↑ ↓ and Enter in the list choose another example.";

// What subsets are of, and how many there are in a graph.
const thingsOf = (page) => (page.noun === "edge" ? "edges" : "vertices");
const sizeOf = (page, drawing) => drawing.size[page.noun === "edge" ? 1 : 0];

function aboutAll(page, example, path) {
  const step = `Step on to follow tree ${path.tree}, question by question.`;
  const rule = example.drawing ? `${aboutSides(page, example.drawing)} ${step}` : step;
  return [make("p", { class: "rule" }, rule), quiet(KEYS)];
}

// What the colours of a drawing mean, and what no vertex could be coloured for.
function aboutSides(page, drawing) {
  const things = thingsOf(page);
  if (!drawing.va) return `Large and vivid: ${things} in many of the subsets behind this prediction.`;
  const sides = page.labels
    ? `Blue ${things} speak for this prediction, orange ones against it.`
    : `Blue ${things} raise the prediction, orange ones lower it.`;
  const missed = `What was asked for and not found adds ${signed(drawing.absence)}.`;
  const whole = drawing.graph ? [`${drawing.graph[0].toUpperCase()}${drawing.graph.slice(1)}.`] : [];
  return [sides, ...whole, ...(drawing.absence ? [missed] : [])].join(" ");
}

function aboutLeaf(page, example, path, tree) {
  const held = `Large and vivid: ${thingsOf(page)} in most of the subsets on this way.`;
  const name = make("span", {}, `leaf ${path.leaf}`);
  return [
    make("p", { class: "phi" }, name, make("small", {}, tree.title)),
    make("p", { class: "rule" }, path.said),
    quiet(example.drawing && path.steps.length ? held : ""),
  ];
}

function aboutStep(page, example, step, tree) {
  const [value, relation, threshold] = step.v;
  const told = [make("span", {}, relation ? `φ = ${value}` : `φ is ${value}`)];
  if (relation) told.push(make("span", {}, `${relation} θ = ${threshold}`));
  told.push(make("span", { class: "turn" }, `→ ${step.d}`));
  const found = [make("p", { class: "phi" }, told), make("p", { class: "rule" }, step.s)];
  if (example.drawing) {
    const from = usedSubset(page, example.drawing, step, tree.nodes[step.n]);
    found.push(quiet(`${from} ${madeSubsets(step, threshold)}`));
  }
  return found;
}

function usedSubset(page, drawing, step, node) {
  const [used] = step.k;
  if (!node.s) return `S is the whole graph: ${many(used)} ${thingsOf(page)}.`;
  const of = `${many(used)} of ${many(sizeOf(page, drawing))} ${thingsOf(page)}`;
  return `S is S${node.s} of node ${node.p}: ${of}.`;
}

function madeSubsets(step, threshold) {
  const [used, plus, minus] = step.k;
  if (!used) return "";
  const [above, others] = [`z > ${round(step.t)}: ${many(plus)}`, `the others: ${many(minus)}`];
  const made = `It makes S+ (${above}) and S- (${others})`;
  return step.q
    ? `${made}; the threshold of a sum is shared out, ${threshold} / ${many(used)}.`
    : `${made}.`;
}

function legendOf(page, drawing, view) {
  const item = (kind, text) => make("li", { class: kind }, make("i"), text);
  if (view.counts) return [item("ramp", `in few … in all ${view.of} subsets used`)];
  if (!view.step && drawing.va) return [item("sides", page.labels ? "against … for" : "lowers … raises")];
  if (!view.step) return [item("ramp", "less … more important")];
  const [used, plus, minus] = view.step.k;
  const rest = sizeOf(page, drawing) - used;
  const items = [item("plus", `S+ ${many(plus)}`), item("minus", `S- ${many(minus)}`)];
  if (rest) items.push(item("out", `not in S ${many(rest)}`));
  if (view.step.w) items.push(item("way", "walked"));
  return items;
}

function tagsOf(page, list, k, example) {
  const data = page.examples;
  const text = (answer) => (page.labels ? page.labels[answer] : round(answer));
  const tags = [`predicted ${text(data.said[k])}`];
  if (data.sure) tags.push(`probability ${percent(data.sure[k])}`);
  if (data.true) tags.push(`true ${text(data.true[k])}`);
  if (data.off) tags.push(`residual ${signed(data.off[k])}`);
  if (example.class !== null && example.class !== text(data.said[k])) {
    tags.push(`explained: ${example.class}, probability ${percent(example.score)}`);
  }
  data.ids.forEach(([name, texts]) => tags.push(`${name} ${texts[k]}`));
  if (data.seen[k]) tags.push("seen in training");
  const mistake = list.wrong(k) ? [make("li", { class: "wrong" }, "✕ mistake")] : [];
  return [...tags.map((tag) => make("li", {}, tag)), ...mistake];
}
