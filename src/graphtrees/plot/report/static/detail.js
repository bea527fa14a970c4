// One example: which tree, which step, and what they say.
function makeDetail(page, list) {
  const state = { k: -1, example: null, path: null, tree: null, at: 0, paint: () => {}, light: () => {} };
  const parts = {};
  const part = (name, node) => { parts[name] = node; return node; };
  const move = (name, text, by, kind) => part(name, make("button", { type: "button", class: kind, on: { click: () => go(state.at + by) } }, text));
  const other = (name, text, words, by) => part(name, make("button", { type: "button", "aria-label": words, title: words, on: { click: () => { const k = list.neighbour(state.k, by); if (k !== undefined) open(k); } } }, text));

  byId("shown").append(
    make("header", { class: "about" },
      make("button", { type: "button", class: "plain back", on: { click: () => byId("chooser").scrollIntoView() } }, "↑ List"),
      part("name", make("h3")), part("tags", make("ul", { class: "tags" })),
      make("div", { class: "switch" }, other("before", "‹", "previous example", -1), other("after", "›", "next example", 1))),
    make("div", { class: "sides" },
      make("section", { class: "side", "aria-label": "Graph" },
        part("figure", make("figure", { class: "graph" }, part("svg", draw("svg", { role: "img" })),
          make("figcaption", {}, part("legend", make("ul", { class: "legend" })), part("readout", make("output", { class: "readout" }))))),
        make("div", { class: "steps-bar" }, move("back", "← Back", -1, ""), part("where", make("p", { class: "where" })), move("next", "Next →", 1, "strong")),
        part("now", make("div", { class: "now", "aria-live": "polite" })),
        part("strip", draw("svg", { class: "strip", role: "img", "aria-label": "The values at the vertices of S and the threshold between S+ and S-" })),
        part("table", make("details", { class: "table", on: { toggle: () => fillTable() } }, make("summary", {}, "The picture in words"), make("div")))),
      make("section", { class: "side", "aria-label": "Tree" },
        make("div", { class: "pick" }, make("label", { for: "tree", class: "sr" }, "Tree"), part("select", make("select", { id: "tree", on: { change: (event) => pick(Number(event.target.value)) } })), part("of", make("span", { class: "quiet" }))),
        part("map", make("div", { class: "map" })),
        part("way", make("ol", { class: "way", "aria-label": "The questions on the way" })))));

  function open(k) {
    const example = block(`example-${k}`);
    if (example === null) { // the end of the file is still on its way
      document.addEventListener("DOMContentLoaded", () => open(k), { once: true });
      return;
    }
    state.k = k;
    state.example = example;
    byId("welcome").hidden = true;
    byId("shown").hidden = false;
    list.select(k);
    about(k, example);
    const signed = (v) => `${v < 0 ? "−" : page.boosted ? "+" : ""}${round(Math.abs(v))}`;
    parts.select.replaceChildren(...example.paths.map((path, i) => make("option", { value: i }, `Tree ${path.tree} · ${signed(path.adds)}`)));
    parts.of.textContent = page.trees > example.paths.length ? `the weightiest ${example.paths.length} of ${page.trees}` : "";
    parts.figure.hidden = parts.table.hidden = example.drawing === null;
    redraw();
    pick(0);
    const top = byId("detail").getBoundingClientRect().top;
    if (top < -40 || top > 0.6 * innerHeight) byId("detail").scrollIntoView();
    for (const hear of heard) hear(k);
  }
  const heard = [];

  function about(k, example) {
    const data = page.examples;
    const text = (code) => (page.labels ? page.labels[code] : round(code));
    parts.name.textContent = `${page.noun} ${data.name[k]}`;
    const tags = [make("li", {}, `predicted ${text(data.said[k])}`)];
    if (data.sure) tags.push(make("li", {}, `probability ${percent(data.sure[k])}`));
    if (data.true) tags.push(make("li", {}, `true ${text(data.true[k])}`));
    if (example.class !== null && example.class !== text(data.said[k])) tags.push(make("li", {}, `explained: ${example.class}, probability ${percent(example.score)}`));
    if (list.marked && list.wrong(k)) tags.push(make("li", { class: "wrong" }, "✕ mistake"));
    if (data.off) tags.push(make("li", {}, `error ${signedError(data.off[k])}`));
    parts.tags.replaceChildren(...tags);
    parts.before.disabled = list.neighbour(k, -1) === undefined;
    parts.after.disabled = list.neighbour(k, 1) === undefined;
  }
  const signedError = (v) => `${v > 0 ? "+" : v < 0 ? "−" : ""}${round(Math.abs(v))}`;

  function redraw() {
    if (!state.example || !state.example.drawing) return;
    state.graph = makeGraph(parts.svg, state.example.drawing, (text) => { parts.readout.value = text || state.example.drawing.note; });
    parts.readout.value = state.example.drawing.note;
  }

  function pick(i) {
    state.path = state.example.paths[i];
    state.tree = block(`tree-${state.path.tree}`);
    parts.select.value = i;
    state.light = makeMap(parts.map, state.tree, state.path, go);
    const stop = (at, id, text, turn) => make("li", {}, make("button", { type: "button", on: { click: () => go(at) } }, make("span", { class: "id" }, id), make("span", {}, text), make("span", { class: "turn" }, turn)));
    const steps = state.path.steps;
    parts.way.replaceChildren(
      stop(0, "all", "What mattered, over all trees", ""),
      ...steps.map((step, k) => stop(k + 1, step.n, `${state.tree.nodes[step.n].q} > ${state.tree.nodes[step.n].t}?`, step.d === "left" ? "no ↙" : "yes ↘")),
      stop(steps.length + 1, "leaf", state.path.said, ""));
    go(0);
  }

  function go(at) {
    if (!state.path) return;
    const last = state.path.steps.length + 1;
    state.at = clamp(at, 0, last);
    const step = state.path.steps[state.at - 1];
    parts.back.disabled = state.at === 0;
    parts.next.disabled = state.at === last;
    parts.where.textContent = state.at === 0 ? "Importance" : step ? `Question ${state.at} of ${last - 1}` : "Leaf";
    [...parts.way.children].forEach((li, k) => {
      if (k === state.at) li.firstChild.setAttribute("aria-current", "step");
      else li.firstChild.removeAttribute("aria-current");
    });
    state.light(state.at);
    const view = step ? { step } : state.at ? counted() : {};
    if (state.example.drawing) {
      state.graph.paint(view);
      parts.legend.replaceChildren(...legend(view));
    }
    parts.now.replaceChildren(...(step ? askedNow(step) : state.at ? leafNow() : allNow()));
    const stripped = Boolean(step && state.example.drawing && step.k[0]);
    parts.strip.toggleAttribute("hidden", !stripped);
    if (stripped) drawStrip(parts.strip, step, state.example.drawing);
    fillTable();
  }

  // How many of the used subsets hold each vertex: that is what makes it important to this tree.
  function counted() {
    const steps = state.path.steps;
    if (!state.example.drawing || !steps.length) return {};
    const counts = [...steps[0].c].map((_, k) => steps.filter((step) => step.c[k] !== "0").length);
    return { counts, of: steps.length };
  }

  const things = page.noun === "edge" ? "edges" : "vertices";
  function legend(view) {
    const item = (kind, text) => make("li", { class: kind }, make("i"), text);
    if (!view.step) return [item("ramp", view.counts ? `in few … in all ${view.of} subsets used` : "less … more important")];
    const [used, plus, minus] = view.step.k;
    const n = state.example.drawing.size[page.noun === "edge" ? 1 : 0];
    const items = [item("plus", `S+ ${plus}`), item("minus", `S- ${minus}`)];
    if (n > used) items.push(item("out", `not in S ${n - used}`));
    if (view.step.w) items.push(item("way", "walked"));
    return items;
  }

  function askedNow(step) {
    const [value, relation, threshold] = step.v;
    const told = state.tree.nodes[step.n];
    const turn = make("span", { class: "turn" }, step.d === "left" ? "→ left" : "→ right");
    const phi = make("p", { class: "phi" }, make("span", {}, `φ ${relation ? "=" : "is"} ${value}`), relation ? make("span", {}, `${relation} θ = ${threshold}`) : null, turn);
    const found = [phi, make("p", { class: "rule" }, step.s)];
    if (!state.example.drawing) return found;
    const [used, plus, minus] = step.k;
    const from = told.s ? `S is S${told.s} of node ${told.p}: ${used} of ${state.example.drawing.size[page.noun === "edge" ? 1 : 0]} ${things}` : `S is the whole graph: ${used} ${things}`;
    const cut = used ? ` It makes S+ (z > ${round(step.t)}: ${plus}) and S- (the others: ${minus})${step.q ? `; the threshold of a sum is shared out, ${threshold} / ${used}` : ""}.` : "";
    found.push(make("p", { class: "quiet" }, `${from}.${cut}`));
    return found;
  }

  function leafNow() {
    const held = state.example.drawing && state.path.steps.length ? `Large and vivid: ${things} that most of the subsets on this way hold.` : "";
    return [make("p", { class: "phi" }, make("span", {}, `leaf ${state.path.leaf}`), make("small", {}, state.tree.title)), make("p", { class: "rule" }, state.path.said), make("p", { class: "quiet" }, held)];
  }

  function allNow() {
    const { drawing } = state.example;
    const about = drawing ? `Large and vivid: ${things} that the subsets behind this prediction often hold. Step on to follow tree ${state.path.tree}, question by question.` : `Step on to follow tree ${state.path.tree}, question by question.`;
    return [make("p", { class: "rule" }, about), make("p", { class: "quiet" }, "Keys: ← → step, ↑ ↓ and Enter in the list choose another example.")];
  }

  function fillTable() {
    if (!parts.table.open || !state.example.drawing) return;
    parts.table.lastChild.replaceChildren(make("ul", {}, ...state.graph.words().map((line) => make("li", {}, line))));
  }

  onResize(parts.figure, () => { redraw(); go(state.at); });
  return { open, go, at: () => state.at, isOpen: () => state.k >= 0, hear: (run) => heard.push(run) };
}
