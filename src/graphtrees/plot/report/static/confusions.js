// Which classes are taken for which; a click lists the examples.
const FEW_CLASSES = 6; // whose names have room above their columns
const LONGEST_NAME = 18;
const MOST_CLASSES = 12; // of a table; more are told as a list of mix-ups

function confusionPanel(page, filter) {
  const present = new Set(page.confusion.flatMap(([t, p]) => [t, p]));
  const classes = page.labels.map((_, k) => k).filter((k) => present.has(k));
  if (classes.length > MOST_CLASSES) return mixupPanel(page, filter);
  return panel(
    "Confusions",
    null,
    make("div", { class: "wide" }, confusionTable(page, classes, filter)),
    quiet("Blue is right. A click lists the examples."),
  );
}

function confusionTable(page, classes, filter) {
  const count = new Map(page.confusion.map(([t, p, n]) => [`${t},${p}`, n]));
  const n = (t, p) => count.get(`${t},${p}`) || 0;
  const corner = () => make("td", { colspan: 2 });
  const wide = { scope: "colgroup", colspan: classes.length, class: "axis" };
  const tall = { scope: "rowgroup", rowspan: classes.length, class: "axis" };
  const row = (t, k) => {
    const total = classes.reduce((sum, p) => sum + n(t, p), 0);
    return make(
      "tr",
      {},
      k ? null : make("th", tall, make("span", {}, "true")),
      classHead("row", page.labels[t], classes.length),
      classes.map((p) => confusionCell(page, t, p, n(t, p), total, filter)),
    );
  };
  const columns = classes.map((p) => classHead("col", page.labels[p], classes.length));
  return make(
    "table",
    { class: classes.length > FEW_CLASSES ? "confusion upright" : "confusion", vars: { "--n": classes.length } },
    make(
      "thead",
      {},
      make("tr", {}, corner(), make("th", wide, "predicted")),
      make("tr", {}, corner(), columns),
    ),
    make("tbody", {}, classes.map(row)),
  );
}

// Many names stand upright over their columns, and lose the middle where they are long.
function classHead(scope, label, n) {
  const short = n > FEW_CLASSES ? shorten(label, LONGEST_NAME) : label;
  return make("th", { scope, title: short === label ? null : label }, make("span", {}, short));
}

function confusionCell(page, t, p, n, total, filter) {
  const share = n / (total || 1);
  const words = `true ${page.labels[t]}, predicted ${page.labels[p]}: ${n}`;
  const properties = {
    disabled: n === 0,
    "aria-label": words,
    title: `${words} (${percent(share)} of its row)`,
    vars: { "--s": share },
    click: () => filter(t, p),
  };
  return make("td", { class: t === p ? "right" : "" }, button(properties, n));
}

function mixupPanel(page, filter) {
  const wrong = page.confusion.filter(([t, p]) => t !== p).sort((a, b) => b[2] - a[2]);
  const line = ([t, p, n]) =>
    make(
      "li",
      {},
      button(
        { click: () => filter(t, p) },
        make("span", {}, `${page.labels[t]} taken for ${page.labels[p]}`),
        make("span", {}, n),
      ),
    );
  return panel(
    "Confusions",
    null,
    quiet(`The most frequent among ${page.labels.length} classes; a click lists the examples.`),
    make("ol", { class: "mixups" }, wrong.slice(0, 40).map(line)),
  );
}
