// The drawing of one graph: made once, then painted for each step.
//
// A view is {} (importances), { step } (a question, with the subset it used and the two it made) or
// { counts, of } (how many of the subsets on the way hold each vertex). Where edges are the
// examples, subsets are of edges.
const FEW_LABELS = 12;
const LONGEST_LABEL = 14;
const LETTER = 6.5; // pixels
const PLACES = ["outside", "in-plus", "in-minus"];
const PARTS = 10000; // importances come in parts of so many

// Whether something speaks for the prediction or against it; without signs it is only warm.
function sideOf(added, k) {
  if (!added) return "heat";
  return added[k] < 0 ? "against" : "for";
}

function overlap(one, other) {
  const across = one.left < other.right && other.left < one.right;
  return across && one.top < other.bottom && other.top < one.bottom;
}

class GraphPicture {
  constructor(svg, drawing, tell) {
    const [width, height] = [svg.clientWidth || 560, svg.clientHeight || 400];
    this.drawing = drawing;
    this.ofEdges = drawing.edge !== undefined;
    this.at = fitGraph(drawing, width, height);
    this.view = {};
    const [n, m] = drawing.size;
    const label = `Graph with ${n} vertices and ${m} edges`;
    fill(svg, { viewBox: `0 0 ${width} ${height}`, "aria-label": label }, []);
    setVars(svg, { "--scale": clamp(this.at.step / 45, 0.3, 1) });
    this.drawEdges();
    this.drawVertices();
    this.stack(svg);
    const over = (event) => tell(this.touch(svg, event.target));
    svg.onpointerover = svg.onpointerleave = svg.onclick = over;
  }

  ends(e) {
    return [this.drawing.e[2 * e], this.drawing.e[2 * e + 1]];
  }

  drawEdges() {
    const met = new Map(); // how many edges join two vertices already
    this.edges = this.drawing.ei.map((_, e) => {
      const [i, j] = this.ends(e);
      const pair = this.drawing.directed ? `${i} ${j}` : [i, j].sort().join(" ");
      met.set(pair, (met.get(pair) ?? -1) + 1);
      const bond = this.drawing.bonds ? this.drawing.bonds[e] : 1;
      const d = edgePath(this.at, i, j, met.get(pair), this.drawing.directed, bond);
      return draw("path", { class: "edge", "data-e": e, d });
    });
  }

  drawVertices() {
    const { drawing, at } = this;
    const asked = new Set(this.ofEdges ? [] : drawing.asked);
    const most = clamp(Math.floor(at.step / LETTER), 4, LONGEST_LABEL);
    this.texts = drawing.l.map((text) => shorten(text, most));
    this.ranked = drawing.v.map((_, k) => k);
    this.ranked.sort((a, b) => asked.has(b) - asked.has(a) || drawing.vs[b] - drawing.vs[a]);
    const longest = this.texts.reduce((most, text) => Math.max(most, text.length), 1);
    const roomy = at.step >= Math.max(22, longest * LETTER);
    const labelled = new Set(roomy ? this.ranked : this.ranked.slice(0, FEW_LABELS));
    this.vertices = drawing.v.map((_, k) => {
      const dot = draw("circle", { class: "dot" });
      const text = labelled.has(k) ? draw("text", {}, this.texts[k]) : null;
      const ring = asked.has(k) ? draw("circle", { class: "ring" }) : null;
      const transform = `translate(${at.x[k].toFixed(1)} ${at.y[k].toFixed(1)})`;
      const group = draw("g", { class: "vertex", "data-v": k, transform }, ring, dot, text);
      return { dot, text, ring, group };
    });
  }

  // What is important is drawn on top.
  stack(svg) {
    const strength = this.drawing.es;
    const edges = this.edges.map((_, e) => e).sort((a, b) => strength[a] - strength[b]);
    const vertices = [...this.ranked].reverse();
    const asked = this.ofEdges ? this.edges[this.drawing.edge].getAttribute("d") : null;
    svg.replaceChildren(
      ...(asked === null ? [] : [draw("path", { class: "halo", d: asked })]),
      ...edges.map((e) => this.edges[e]),
      ...vertices.map((k) => this.vertices[k].group),
    );
  }

  paint(view) {
    this.view = view;
    this.vertices.forEach((_, k) => this.paintVertex(k));
    this.edges.forEach((_, e) => this.paintEdge(e));
    this.keepLabelsApart();
  }

  // Of labels that would lie over one another, those of less important vertices are hidden.
  keepLabelsApart() {
    const taken = [];
    for (const k of this.ranked) {
      const { text } = this.vertices[k];
      if (!text) continue;
      const { x, y, width, height } = text.getBBox();
      const [left, top] = [x + this.at.x[k], y + this.at.y[k]];
      const box = { left, top, right: left + width, bottom: top + height };
      const hides = taken.some((other) => overlap(box, other));
      text.setAttribute("visibility", hides ? "hidden" : "visible");
      if (!hides) taken.push(box);
    }
  }

  paintVertex(k) {
    const { step, counts, of } = this.view;
    const { group } = this.vertices[k];
    const over = group.classList.contains("over") ? " over" : "";
    const place = step && !this.ofEdges ? ` ${PLACES[step.c[k]]}` : "";
    group.setAttribute("class", `vertex${over}${place}`);
    if (this.ofEdges && (step || counts)) return this.size(k, 0, false);
    if (step) return this.size(k, step.c[k] === "0" ? 0.15 : 0.8, false);
    if (counts) return this.size(k, counts[k] / of, "heat");
    return this.size(k, this.drawing.vs[k] / 100, sideOf(this.drawing.va, k));
  }

  size(k, share, heat) {
    const { dot, text, ring } = this.vertices[k];
    const least = 0.5 * this.at.radius;
    const r = Math.sqrt(least ** 2 + (this.at.radius ** 2 - least ** 2) * share);
    dot.setAttribute("class", heat ? `dot ${heat}${share > 0.5 ? " upper" : ""}` : "dot");
    setVars(dot, { "--s": share, r: `${r}px` });
    if (ring) setVars(ring, { r: `${r + 4}px` });
    if (!text) return;
    const usual = clamp(this.at.radius * 0.85, 9, 12);
    const fitting = (1.7 * r) / (0.6 * Math.max(1.4, this.texts[k].length)); // fills the circle
    const inside = fitting >= 8;
    text.setAttribute("class", inside ? "in" : "out");
    text.setAttribute("y", inside ? 0 : -(r + usual * 0.62 + (ring ? 5 : 0)));
    setVars(text, { "--size": `${inside ? Math.min(usual, fitting) : usual}px` });
  }

  paintEdge(e) {
    const { step, counts, of } = this.view;
    const walked = step && (step.w === "*" || step.w[e] === "1");
    let kind = step || counts ? "still" : "";
    if (walked) kind = "walked";
    if (step && this.ofEdges) kind = PLACES[step.c[e]];
    if (counts && this.ofEdges) kind = "";
    const share = counts && this.ofEdges ? counts[e] / of : this.drawing.es[e] / 100;
    if (!step && !counts) kind = sideOf(this.drawing.ea, e);
    this.edges[e].setAttribute("class", `edge ${kind}`);
    setVars(this.edges[e], { "--s": share });
  }

  // Mark the vertex under the pointer, and give the words for it, or for an edge.
  touch(svg, target) {
    for (const one of svg.querySelectorAll(".over")) one.classList.remove("over");
    const vertex = target.closest(".vertex");
    const edge = target.closest(".edge");
    if (vertex) vertex.classList.add("over");
    if (vertex) return this.vertexWords(Number(vertex.dataset.v));
    return edge ? this.edgeWords(Number(edge.dataset.e)) : "";
  }

  // Everything the picture shows, as lines of text.
  words() {
    if (this.ofEdges) return this.edges.map((_, e) => this.edgeWords(e));
    return this.vertices.map((_, k) => this.vertexWords(k));
  }

  name(k) {
    const { v, l } = this.drawing;
    return l[k] === String(v[k]) ? l[k] : `${v[k]} (${l[k]})`;
  }

  vertexWords(k) {
    const share = percent(this.drawing.vi[k] / PARTS);
    const rest = this.ofEdges ? "" : this.placeOf(k);
    return `vertex ${this.name(k)}: importance ${share}${this.adds("va", k)}${rest}`;
  }

  edgeWords(e) {
    const ends = this.ends(e).map((k) => this.name(k));
    const share = percent(this.drawing.ei[e] / PARTS);
    const name = ends.join(this.drawing.directed ? " → " : " – ");
    const rest = this.ofEdges ? this.placeOf(e) : "";
    return `edge ${name}: importance ${share}${this.adds("ea", e)}${rest}`;
  }

  // What is added to the prediction, where nothing else is looked at.
  adds(key, k) {
    const { step, counts } = this.view;
    const added = this.drawing[key];
    return step || counts || !added ? "" : `, adds ${signed(added[k])}`;
  }

  placeOf(k) {
    const { step, counts, of } = this.view;
    if (counts) return ` · in ${counts[k]} of ${of} subsets`;
    if (!step) return "";
    const place = [" · not in S", " → S+", " → S-"][step.c[k]];
    return ` · z = ${round(step.z[k])}${place}`;
  }
}
