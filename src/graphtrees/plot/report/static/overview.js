// The overview: what the model is, how good it is, what it looks at.
const MOST_CLASSES = 12; // of a confusion table; more are told as a list of mix-ups

function showOverview(page, filter, choose) {
  say("title", page.title);
  say("line", page.title === page.model ? page.line : `${page.model} · ${page.line}`);
  say("made", `Made by graphtrees ${page.version}. This page is one file and loads nothing.`);
  byId("metrics").append(...page.metrics.map((m) => make("div", {},
    make("dt", {}, m.name), make("dd", { class: "value" }, m.value), make("dd", { class: "note" }, m.note))));
  const panels = byId("panels");
  let mark = () => {};
  if (page.confusion) panels.append(confusionPanel(page, filter));
  if (page.residuals) {
    const chart = draw("svg", { class: "chart clickable", role: "img", "aria-label": `Residuals of ${page.residuals.of} examples` });
    const shown = page.residuals.x.length;
    const note = `Each point is an example${shown < page.residuals.of ? ` (${shown} of ${page.residuals.of.toLocaleString("en")})` : ""}; a click shows it.`;
    panels.append(panel("Residuals", null, chart, make("p", { class: "quiet" }, note)));
    let picked = -1;
    let put = drawResiduals(chart, page.residuals, choose);
    onResize(chart, () => { put = drawResiduals(chart, page.residuals, choose); put(picked); });
    mark = (example) => { picked = example; put(example); };
  }
  for (const curves of page.curves) panels.append(curvesPanel(curves));
  if (page.importances.length) panels.append(importancePanel(page.importances));
  const settings = Object.entries(page.settings);
  if (settings.length) {
    panels.after(make("details", { class: "settings" },
      make("summary", {}, "Settings that are not the usual ones"),
      make("dl", {}, ...settings.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]))));
  }
  return mark;
}

function panel(title, tools, ...children) {
  return make("section", { class: "card panel" }, make("header", {}, make("h2", {}, title), tools), ...children);
}

function onResize(node, run) {
  let width = node.clientWidth;
  new ResizeObserver(() => {
    if (node.clientWidth === width || !node.clientWidth) return;
    width = node.clientWidth;
    run();
  }).observe(node);
}

function confusionPanel(page, filter) {
  const present = new Set(page.confusion.flatMap(([t, p]) => [t, p]));
  const classes = page.labels.map((_, k) => k).filter((k) => present.has(k));
  if (classes.length > MOST_CLASSES) return mixupPanel(page, filter);
  const count = new Map(page.confusion.map(([t, p, n]) => [`${t},${p}`, n]));
  const totals = new Map(classes.map((t) => [t, classes.reduce((sum, p) => sum + (count.get(`${t},${p}`) || 0), 0)]));
  const cell = (t, p) => {
    const n = count.get(`${t},${p}`) || 0;
    const share = n / (totals.get(t) || 1);
    const words = `true ${page.labels[t]}, predicted ${page.labels[p]}: ${n}`;
    return make("td", { class: t === p ? "right" : "" }, make("button", {
      type: "button", disabled: n === 0, "aria-label": words, title: `${words} (${percent(share)} of its row)`,
      vars: { "--s": share }, on: { click: () => filter(t, p) },
    }, n));
  };
  return panel("Confusions", null, make("div", { class: "wide" }, make("table", { class: "confusion", vars: { "--n": classes.length } },
    make("thead", {},
      make("tr", {}, make("td", { colspan: 2 }), make("th", { scope: "colgroup", colspan: classes.length, class: "axis" }, "predicted")),
      make("tr", {}, make("td", { colspan: 2 }), ...classes.map((p) => make("th", { scope: "col" }, page.labels[p])))),
    make("tbody", {}, ...classes.map((t, k) => make("tr", {},
      k ? null : make("th", { scope: "rowgroup", rowspan: classes.length, class: "axis" }, make("span", {}, "true")),
      make("th", { scope: "row" }, page.labels[t]), ...classes.map((p) => cell(t, p))))))),
  make("p", { class: "quiet" }, "Blue is right. A click lists the examples."));
}

function mixupPanel(page, filter) {
  const wrong = page.confusion.filter(([t, p]) => t !== p).sort((a, b) => b[2] - a[2]).slice(0, 40);
  return panel("Confusions", null,
    make("p", { class: "quiet" }, `The most frequent of ${page.labels.length} classes; a click lists the examples.`),
    make("ol", { class: "mixups" }, ...wrong.map(([t, p, n]) => make("li", {}, make("button", {
      type: "button", on: { click: () => filter(t, p) },
    }, make("span", {}, `${page.labels[t]} taken for ${page.labels[p]}`), make("span", {}, n))))));
}

function curvesPanel(curves) {
  const chart = draw("svg", { class: "chart", role: "img", "aria-label": `${curves.metric} by round: ${curves.lines.map(([name, line]) => `${name} ends at ${round(line.at(-1)[1])}`).join(", ")}` });
  const key = make("ul", { class: "key" }, ...curves.lines.map(([name, line], k) => make("li", { class: `tone-${k % 5}` }, make("i"), `${name} (${round(line.at(-1)[1])})`)));
  if (curves.best !== null) key.append(make("li", {}, `best: round ${curves.best}`));
  requestAnimationFrame(() => { drawCurves(chart, curves); onResize(chart, () => drawCurves(chart, curves)); });
  return panel("Learning curve", null, chart, key);
}

function importancePanel(parts) {
  const bars = make("ol", { class: "bars" });
  const show = (by) => {
    const part = parts.find((p) => p.by === by);
    const most = Math.max(...part.bars.map((bar) => bar[1]), part.rest ? part.rest[1] : 0) || 1;
    const bar = (name, share, kind) => make("li", { class: kind }, make("span", { class: "name" }, name), make("span", { class: "share" }, percent(share)),
      make("span", { class: "track" }, make("div", { class: "fill", vars: { "--s": share / most } })));
    bars.replaceChildren(...part.bars.map(([name, share]) => bar(name, share, "")));
    if (part.rest) bars.append(bar(`${part.rest[0]} others`, part.rest[1], "rest"));
  };
  const select = make("select", { id: "importance-by", "aria-label": "Importance by", on: { change: (event) => show(event.target.value) } },
    ...parts.map((p) => make("option", { value: p.by }, `by ${p.by}`)));
  show(parts[0].by);
  return panel("Importance", select, bars, make("p", { class: "quiet" }, "Share of what all splits gained."));
}
