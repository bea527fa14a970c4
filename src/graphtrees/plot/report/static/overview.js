// The overview: what the model is, how good it is, what it looks at.
// Gives a function that marks a chosen example in it.
function showOverview(page, filter, choose) {
  say("title", page.title);
  say("line", page.title === page.model ? page.line : `${page.model} · ${page.line}`);
  say("made", `Made by graphtrees ${page.version}. This page is one file and loads nothing.`);
  byId("metrics").append(...page.metrics.map(metric));
  showSeen(page);
  const panels = byId("panels");
  if (page.confusion) panels.append(confusionPanel(page, filter));
  const mark = page.residuals ? addResiduals(panels, page.residuals, choose) : () => {};
  for (const curves of page.curves) panels.append(curvesPanel(curves));
  if (page.importances.length) panels.append(importancePanel(page.importances));
  addSettings(panels, Object.entries(page.settings));
  return mark;
}

// Figures of examples that the model was trained on say little about others: they come second.
function showSeen({ seen, metrics }) {
  if (!seen) return;
  const few = seen.metrics.map((m) => `${m.name} ${m.value}`).join(", ");
  const words = seen.fresh
    ? `${metrics.length ? "The figures above are of " : ""}${many(seen.fresh)} not seen in ` +
      `training. ${many(seen.n)} were seen in training${few ? `: ${few}` : ""}.`
    : "All of these examples were seen in training: figures of others are likely to be worse.";
  byId("metrics").after(make("p", { class: "card", id: "seen" }, words));
}

const metric = (m) =>
  make(
    "div",
    {},
    make("dt", {}, m.name),
    make("dd", { class: "value" }, m.value),
    make("dd", { class: "note" }, m.note),
  );

function panel(title, tools, ...children) {
  const head = make("header", {}, make("h2", {}, title), tools);
  return make("section", { class: "card panel" }, head, ...children);
}

function addResiduals(panels, data, choose) {
  const words = `Residuals of ${many(data.of)} examples`;
  const chart = draw("svg", { class: "chart clickable", role: "img", "aria-label": words });
  const cut = data.x.length < data.of ? ` (${many(data.x.length)} of ${many(data.of)})` : "";
  panels.append(
    panel("Residuals", null, chart, quiet(`Each point is an example${cut}; a click shows it.`)),
  );
  let picked = -1;
  let ring = drawResiduals(chart, data, choose);
  onResize(chart, () => {
    ring = drawResiduals(chart, data, choose);
    ring(picked);
  });
  return (example) => {
    picked = example;
    ring(example);
  };
}

function curvesPanel(curves) {
  const ends = curves.lines.map(([name, line]) => [name, round(line.at(-1)[1])]);
  const words = ends.map(([name, value]) => `${name} ends at ${value}`).join(", ");
  const label = `${curves.metric} by round: ${words}`;
  const chart = draw("svg", { class: "chart", role: "img", "aria-label": label });
  const key = ends.map(([name, value], k) =>
    make("li", { class: `tone-${k % 5}` }, make("i"), `${name} (${value})`),
  );
  if (curves.best !== null) key.push(make("li", {}, `best: round ${curves.best}`));
  requestAnimationFrame(() => {
    drawCurves(chart, curves);
    onResize(chart, () => drawCurves(chart, curves));
  });
  return panel("Learning curve", null, chart, make("ul", { class: "key" }, key));
}

function importancePanel(parts) {
  const bars = make("ol", { class: "bars" });
  const show = (by) => bars.replaceChildren(...importanceBars(parts.find((p) => p.by === by)));
  const select = make(
    "select",
    { id: "importance-by", "aria-label": "Importance by" },
    parts.map((p) => make("option", { value: p.by }, `by ${p.by}`)),
  );
  select.addEventListener("change", () => show(select.value));
  show(parts[0].by);
  return panel("Importance", select, bars, quiet("Share of what all splits gained."));
}

function importanceBars(part) {
  const all = part.bars.map(([name, share]) => [name, share, ""]);
  if (part.rest) all.push([`${part.rest[0]} others`, part.rest[1], "rest"]);
  const most = all.reduce((largest, bar) => Math.max(largest, bar[1]), 0) || 1;
  return all.map(([name, share, kind]) =>
    make(
      "li",
      { class: kind },
      make("span", { class: "name" }, name),
      make("span", { class: "share" }, percent(share)),
      make(
        "span",
        { class: "track" },
        make("span", { class: "fill", vars: { "--s": share / most } }),
      ),
    ),
  );
}

function addSettings(panels, settings) {
  if (!settings.length) return;
  const list = settings.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]);
  const words = make("summary", {}, "Settings that are not the usual ones");
  panels.after(make("details", { class: "settings" }, words, make("dl", {}, list)));
}
