// The list of examples: find, filter, sort, choose.
class ExampleList {
  constructor(page, choose) {
    this.page = page;
    this.data = page.examples;
    this.choose = choose;
    this.columns = columnsOf(page);
    this.marked = page.labels !== null && this.data.true !== undefined;
    this.all = this.data.name.map((_, k) => k);
    this.rows = this.all.map((k) => rowOf(this.columns, k, this.mark(k)));
    this.shown = this.all;
    this.chosen = -1;
    this.find = "";
    this.which = "all";
    this.pair = null; // a cell of the confusions: true and predicted class
    this.sort = { key: this.marked ? "mark" : null, down: false };
    this.listen();
    this.heads();
    this.show();
  }

  wrong(k) {
    return this.marked && this.data.true[k] !== this.data.said[k];
  }

  mark(k) {
    return this.marked ? (this.wrong(k) ? "mistake" : "right") : null;
  }

  heads() {
    const heads = this.columns.map((c) => headOf(c, this.sort, () => this.sortBy(c.key)));
    if (this.marked) heads.push(markHead(this.sort, () => this.sortBy("mark")));
    byId("heads").replaceChildren(...heads);
  }

  sortBy(key) {
    const again = this.sort.key === key && key !== "mark";
    const numbers = this.columns.some((c) => c.key === key && c.num);
    this.sort = { key, down: again ? !this.sort.down : numbers };
    this.heads();
    byId("heads").querySelector(`[data-sort="${key}"]`).focus();
    this.show();
  }

  ordered(found) {
    const column = this.columns.find((c) => c.key === this.sort.key);
    if (!column) return found; // as written: what to look at first is on top
    const flip = this.sort.down ? -1 : 1;
    const words = new Intl.Collator("en", { numeric: true }).compare;
    const by = column.num ? (a, b) => a - b : words;
    return found.sort((a, b) => flip * by(column.value(a), column.value(b)) || a - b);
  }

  passes(k) {
    const { data, pair } = this;
    if (pair && (data.true[k] !== pair[0] || data.said[k] !== pair[1])) return false;
    if (this.which !== "all" && this.which !== this.mark(k)) return false;
    const texts = this.columns.filter((c) => !c.show).map((c) => String(c.value(k)).toLowerCase());
    return !this.find || texts.some((text) => text.includes(this.find));
  }

  show() {
    this.shown = this.ordered(this.all.filter((k) => this.passes(k)));
    const none = make("td", { class: "none", colspan: this.columns.length + 1 });
    none.textContent = "No example matches.";
    const rows = this.shown.length ? this.shown.map((k) => this.rows[k]) : [make("tr", {}, none)];
    byId("rows").replaceChildren(...rows);
    this.reach(this.shown.includes(this.chosen) ? this.chosen : this.shown[0]);
    this.tellFilter();
  }

  tellFilter() {
    const count = `${many(this.shown.length)} of ${many(this.all.length)}`;
    byId("filtered").replaceChildren(count);
    if (!this.pair) return;
    const [t, p] = this.pair.map((code) => this.page.labels[code]);
    const words = `true ${t}, predicted ${p}`;
    const click = () => this.filter(null);
    byId("filtered").append(
      button({ "aria-label": `${words}: show all again`, click }, `${words} ✕`),
    );
  }

  // Only one row is reached by Tab; arrows lead to the others.
  reach(k) {
    if (this.reached !== undefined) this.rows[this.reached].tabIndex = -1;
    this.reached = k;
    if (k !== undefined) this.rows[k].tabIndex = 0;
  }

  select(k) {
    if (this.chosen >= 0) this.rows[this.chosen].setAttribute("aria-selected", "false");
    this.chosen = k;
    this.rows[k].setAttribute("aria-selected", "true");
    this.reach(k);
    if (this.rows[k].isConnected) this.scrollTo(this.rows[k]);
  }

  // Within the list alone: the page stays where it is.
  scrollTo(row) {
    const box = byId("scroll");
    const top = row.offsetTop - byId("heads").offsetHeight;
    const low = row.offsetTop + row.offsetHeight - box.clientHeight;
    box.scrollTop = clamp(box.scrollTop, low, Math.max(low, top));
  }

  neighbour(k, step) {
    const place = this.shown.indexOf(k);
    return place < 0 ? undefined : this.shown[place + step];
  }

  filter(pair) {
    this.pair = pair;
    this.which = "all";
    if (this.press) this.press("all");
    this.show();
    byId("examples").scrollIntoView();
    if (this.shown.length) this.rows[this.shown[0]].focus({ preventScroll: true });
  }

  listen() {
    byId("rows").addEventListener("click", (event) => this.clicked(event));
    byId("rows").addEventListener("keydown", (event) => this.pressed(event));
    byId("find").addEventListener("input", (event) => {
      this.find = event.target.value.trim().toLowerCase();
      this.show();
    });
    if (!this.marked) return byId("which").remove();
    const choices = [
      ["all", "All"],
      ["mistake", "Mistakes"],
      ["right", "Right"],
    ];
    this.press = makeSwitch(byId("which"), choices, "all", (key) => {
      this.which = key;
      this.show();
    });
  }

  clicked(event) {
    const row = event.target.closest("tr[data-k]");
    if (row) this.choose(Number(row.dataset.k));
  }

  pressed(event) {
    const row = event.target.closest("tr[data-k]");
    if (!row) return;
    const { firstElementChild: first, lastElementChild: last } = byId("rows");
    const [above, below] = [row.previousElementSibling, row.nextElementSibling];
    const to = { ArrowUp: above, ArrowDown: below, Home: first, End: last };
    if (event.key === "Enter" || event.key === " ") this.choose(Number(row.dataset.k));
    else if (!(event.key in to)) return;
    event.preventDefault();
    if (!to[event.key]) return;
    this.reach(Number(to[event.key].dataset.k));
    to[event.key].focus();
  }
}
