// One example: which tree, which step, and what they say.
class Detail {
  constructor(page, list) {
    this.page = page;
    this.list = list;
    this.k = -1; // which example
    this.at = 0; // 0: importances, then a step for each question, the leaf last
    this.listeners = [];
    this.build();
    onResize(this.figure, () => {
      this.redraw();
      this.go(this.at);
    });
  }

  get last() {
    return this.path.steps.length + 1;
  }

  build() {
    byId("shown").append(
      this.buildHead(),
      make("div", { class: "sides" }, this.buildGraphSide(), this.buildTreeSide()),
    );
    this.select.addEventListener("change", () => this.pick(Number(this.select.value)));
    this.table.addEventListener("toggle", () => this.fillTable());
  }

  buildHead() {
    const other = (text, words, by) => {
      const click = () => this.open(this.list.neighbour(this.k, by));
      return button({ "aria-label": words, title: words, click }, text);
    };
    this.name = make("h3");
    this.tags = make("ul", { class: "tags" });
    this.before = other("‹", "previous example", -1);
    this.after = other("›", "next example", 1);
    const click = () => byId("chooser").scrollIntoView();
    return make(
      "header",
      { class: "about" },
      button({ class: "plain back", click }, "↑ List"),
      this.name,
      this.tags,
      make("div", { class: "switch" }, this.before, this.after),
    );
  }

  buildGraphSide() {
    const label = "The values at S and the threshold between S+ and S-";
    this.svg = draw("svg", { role: "img" });
    this.legend = make("ul", { class: "legend" });
    this.readout = make("output", { class: "readout" });
    const kind = this.page.noun === "edge" ? "graph of-edges" : "graph";
    const caption = make("figcaption", {}, this.legend, this.readout);
    this.figure = make("figure", { class: kind }, this.svg, caption);
    this.back = button({ click: () => this.go(this.at - 1) }, "← Back");
    this.where = make("p", { class: "where" });
    this.next = button({ class: "strong", click: () => this.go(this.at + 1) }, "Next →");
    this.now = make("div", { class: "now", "aria-live": "polite" });
    this.strip = draw("svg", { class: "strip", role: "img", "aria-label": label });
    this.lines = make("ul");
    const summary = make("summary", {}, "The picture in words");
    this.table = make("details", { class: "table" }, summary, this.lines);
    return make(
      "section",
      { class: "side", "aria-label": "Graph" },
      this.figure,
      make("div", { class: "steps-bar" }, this.back, this.where, this.next),
      this.now,
      this.strip,
      this.table,
    );
  }

  buildTreeSide() {
    this.select = make("select", { id: "tree" });
    this.of = make("span", { class: "quiet" });
    this.map = make("div", { class: "map" });
    this.way = make("ol", { class: "way", "aria-label": "The questions on the way" });
    const label = make("label", { for: "tree", class: "sr" }, "Tree");
    return make(
      "section",
      { class: "side", "aria-label": "Tree" },
      make("div", { class: "pick" }, label, this.select, this.of),
      this.map,
      this.way,
    );
  }

  open(k) {
    const example = k === undefined ? undefined : block(`example-${k}`);
    if (example === undefined) return;
    if (example === null) {
      // The end of the file is still on its way.
      document.addEventListener("DOMContentLoaded", () => this.open(k), { once: true });
      return;
    }
    this.k = k;
    this.example = example;
    byId("welcome").hidden = true;
    byId("shown").hidden = false;
    this.list.select(k);
    this.tellExample();
    this.redraw();
    this.pick(0);
    const { top } = byId("detail").getBoundingClientRect();
    if (top < -40 || top > 0.6 * innerHeight) byId("detail").scrollIntoView();
    for (const hear of this.listeners) hear(k);
  }

  tellExample() {
    const { page, list, k, example } = this;
    this.name.textContent = `${page.noun} ${page.examples.name[k]}`;
    this.tags.replaceChildren(...tagsOf(page, list, k, example));
    this.before.disabled = list.neighbour(k, -1) === undefined;
    this.after.disabled = list.neighbour(k, 1) === undefined;
    const weight = (path) => signed(path.adds, page.boosted ? "+" : "");
    const text = (path) => `Tree ${path.tree} · ${weight(path)}`;
    const option = (path, i) => make("option", { value: i }, text(path));
    this.select.replaceChildren(...example.paths.map(option));
    const n = example.paths.length;
    this.of.textContent = page.trees > n ? `the weightiest ${n} of ${many(page.trees)}` : "";
    this.figure.hidden = this.table.hidden = example.drawing === null;
  }

  redraw() {
    const drawing = this.example && this.example.drawing;
    if (!drawing) return;
    const tell = (text) => {
      this.readout.value = text || drawing.note;
    };
    tell("");
    this.picture = new GraphPicture(this.svg, drawing, tell);
  }

  pick(i) {
    this.path = this.example.paths[i];
    this.tree = block(`tree-${this.path.tree}`);
    this.select.value = i;
    this.light = makeMap(this.map, this.tree, this.path, (at) => this.go(at));
    const { steps, said } = this.path;
    const asked = (step, k) => {
      const { q, t } = this.tree.nodes[step.n];
      return this.stop(k + 1, step.n, `${q} > ${t}?`, step.d === "left" ? "no ↙" : "yes ↘");
    };
    this.way.replaceChildren(
      this.stop(0, "all", "What mattered, over all trees", ""),
      ...steps.map(asked),
      this.stop(this.last, "leaf", said, ""),
    );
    this.go(0);
  }

  stop(at, id, text, turn) {
    const part = (kind, content) => make("span", { class: kind }, content);
    const parts = [part("id", id), part("text", text), part("turn", turn)];
    return make("li", {}, button({ click: () => this.go(at) }, ...parts));
  }

  go(at) {
    if (!this.path) return;
    this.at = clamp(at, 0, this.last);
    const step = this.path.steps[this.at - 1];
    this.tellPlace(step);
    this.light(this.at);
    this.show(step);
    const { page, example, path, tree } = this;
    if (step) this.now.replaceChildren(...aboutStep(page, example, step, tree));
    else if (this.at) this.now.replaceChildren(...aboutLeaf(page, example, path, tree));
    else this.now.replaceChildren(...aboutAll(page, example, path));
  }

  tellPlace(step) {
    this.back.disabled = this.at === 0;
    this.next.disabled = this.at === this.last;
    const asked = `Question ${this.at} of ${this.last - 1}`;
    this.where.textContent = step ? asked : this.at ? "Leaf" : "Importance";
    [...this.way.children].forEach((item, k) => {
      if (k === this.at) item.firstChild.setAttribute("aria-current", "step");
      else item.firstChild.removeAttribute("aria-current");
    });
  }

  show(step) {
    const { drawing } = this.example;
    const cut = Boolean(step && drawing && step.k[0]);
    this.strip.toggleAttribute("hidden", !cut);
    if (cut) drawStrip(this.strip, step, drawing);
    if (!drawing) return;
    const view = step ? { step } : this.at ? this.counted() : {};
    this.picture.paint(view);
    this.legend.replaceChildren(...legendOf(this.page, drawing, view));
    this.fillTable();
  }

  // How many of the used subsets hold each vertex: that makes it important to this tree.
  counted() {
    const { steps } = this.path;
    if (!steps.length) return {};
    const held = (k) => steps.filter((step) => step.c[k] !== "0").length;
    return { counts: [...steps[0].c].map((_, k) => held(k)), of: steps.length };
  }

  fillTable() {
    if (!this.table.open || !this.example.drawing) return;
    this.lines.replaceChildren(...this.picture.words().map((line) => make("li", {}, line)));
  }
}
