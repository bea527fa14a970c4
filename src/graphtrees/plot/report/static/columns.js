// The columns of the list: their names, their values, and how they are written.
function columnsOf(page) {
  const data = page.examples;
  const ofClasses = page.labels !== null;
  const answers = (codes) => (k) => (ofClasses ? page.labels[codes[k]] : codes[k]);
  const columns = [{ key: "name", text: page.noun, value: (k) => data.name[k] }];
  const add = (key, text, num, value, show) => columns.push({ key, text, num, value, show });
  data.ids.forEach(([name, texts], place) => add(`id-${place}`, name, false, (k) => texts[k]));
  if (data.true) add("true", "true", !ofClasses, answers(data.true));
  add("said", "predicted", !ofClasses, answers(data.said));
  if (data.sure)
    add(
      "sure",
      "prob.",
      true,
      (k) => data.sure[k],
      (k) => percent(data.sure[k], 0),
    );
  if (data.off)
    add(
      "off",
      "residual",
      true,
      (k) => Math.abs(data.off[k]),
      (k) => signed(data.off[k]),
    );
  if (data.seen.includes(1) && data.seen.includes(0))
    add("seen", "seen", false, (k) => (data.seen[k] ? "seen in training" : ""));
  return columns;
}

function written(column, k) {
  if (column.show) return column.show(k);
  return column.num ? round(column.value(k)) : column.value(k);
}

function rowOf(columns, k, mark) {
  const cell = (c) => make("td", { role: "gridcell", class: c.num ? "num" : "" }, written(c, k));
  const properties = { role: "row", tabindex: "-1", "data-k": k, "aria-selected": "false" };
  properties.class = mark === "mistake" ? "wrong" : "";
  return make("tr", properties, columns.map(cell), mark ? markCell(mark) : null);
}

const markCell = (mark) =>
  make(
    "td",
    { role: "gridcell", class: "mark" },
    make("span", { "aria-hidden": "true" }, mark === "mistake" ? "✕" : "✓"),
    make("span", { class: "sr" }, mark),
  );

function headOf(column, sort, click) {
  const up = column.key === sort.key && (sort.down ? "descending" : "ascending");
  const properties = { scope: "col", class: column.num ? "num" : "", "aria-sort": up || "none" };
  return make("th", properties, button({ "data-sort": column.key, click }, column.text));
}

// The order in which the page was written: mistakes first.
function markHead(sort, click) {
  const words = "mistakes first";
  const properties = { "data-sort": "mark", "aria-label": words, title: words, click };
  const up = sort.key === "mark" ? "descending" : "none";
  return make("th", { scope: "col", class: "mark", "aria-sort": up }, button(properties, "✕"));
}
