"use strict";
// The report of a campaign. All numbers come from the JSON in this page; nothing is loaded.
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
const { configurations, questions, cells, summaries, statuses } = data;
const width = configurations.length, height = questions.length;
const $ = (id) => document.getElementById(id);
const solved = (at) => cells.status[at] !== null && cells.status[at] < data.answers && !cells.wrong[at];
const at = (question, configuration) => question * width + configuration;
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
const fixed = (number, digits) => number === null || number === undefined ? "–" : number.toFixed(digits);
const seconds = (number) => fixed(number, number !== null && number < 10 ? 3 : 1);
const sum = (list) => list.reduce((total, number) => total + number, 0);
const range = (count) => Array.from({ length: count }, (_, number) => number);

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.map((child) => child instanceof Node ? child : String(child)));
  return made;
}

// A table whose headings sort. A column has a name, a value, how it is shown, and which end is best.
function table(target, columns, rows, options = {}) {
  let order = { column: options.sort ?? null, down: options.down ?? true };
  const best = columns.map((column) => {
    const values = rows.map(column.value).filter((value) => typeof value === "number");
    return column.best && values.length > 1 ? Math[column.best](...values) : undefined;
  });
  const compare = (a, b) => typeof a === "string" ? a.localeCompare(b, undefined, { numeric: true }) : (a ?? Infinity) - (b ?? Infinity);
  function line(row, last) {
    const made = element("tr", { class: last ? "last" : undefined });
    columns.forEach((column, number) => {
      const value = column.value(row);
      const kind = [typeof value === "string" ? "word" : "", column.long ? "long" : "",
        !last && best[number] !== undefined && value === best[number] ? "best" : "",
        column.bad && value > 0 ? "bad" : ""].join(" ").trim();
      made.append(element("td", { class: kind || undefined, title: column.title ? column.title(row) : undefined },
        column.show ? column.show(value, row) : value ?? "–"));
    });
    return made;
  }
  function draw() {
    const sorted = [...rows];
    if (order.column !== null) {
      const { value } = columns[order.column];
      sorted.sort((a, b) => (order.down ? -1 : 1) * compare(value(a), value(b)));
    }
    const head = element("tr");
    columns.forEach((column, number) => {
      const cell = element("th", { class: "sorts" + (column.word ? " word" : ""), scope: "col",
        "aria-sort": order.column === number ? (order.down ? "descending" : "ascending") : undefined }, column.name);
      cell.addEventListener("click", () => {
        order = { column: number, down: order.column === number ? !order.down : !column.word && column.best !== "min" };
        draw();
      });
      head.append(cell);
    });
    const body = element("tbody", {}, ...sorted.map((row) => line(row, false)), ...(options.last || []).map((row) => line(row, true)));
    target.replaceChildren(element("thead", {}, head), body);
  }
  draw();
}

function head() {
  $("name").textContent = data.name;
  $("about").textContent = data.about;
  const wrong = data.disagreements.length;
  $("news").textContent = wrong > 0
    ? `${wrong} question${wrong > 1 ? "s have" : " has"} answers that cannot all be right.`
    : `No wrong answers. ${data.done} of ${data.jobs} results: ${height} questions, ${width} configurations` +
      (data.repetitions > 1 ? `, ${data.repetitions} repetitions.` : ".") +
      (data.failed > 0 ? ` ${data.failed} ended without an answer: their models or questions cannot be used, or the program fell.` : "");
  $("news").className = wrong > 0 ? "bad" : "";
  if (wrong > 0) {
    $("disagreements").hidden = false;
    const list = (names) => names.join(", ");
    table($("disagreement-table"), [
      { name: "question", word: true, value: (row) => row.question },
      { name: "expected", word: true, value: (row) => row.expected || "–" },
      { name: "holds", word: true, long: true, value: (row) => list(row.holds) },
      { name: "violated", word: true, long: true, value: (row) => list(row.violated) },
      { name: "fault", word: true, long: true, value: (row) => list(row.fault) },
      { name: "refused", word: true, long: true, value: (row) => list(row.refused) },
    ], data.disagreements);
  }
}

function summary() {
  const number = (name, key, extra) => ({ name, value: (row) => row[key], ...extra });
  table($("summary-table"), [
    { name: "configuration", word: true, value: (row) => row.name, title: (row) => row.options },
    number("solved", "solved", { best: "max" }),
    { name: "%", value: (row) => 100 * row.solved / Math.max(1, height - row.open), show: (value) => fixed(value, 0) },
    number("holds", "holds"), number("violated", "violated"), number("fault", "faults"), number("wrong", "wrong", { bad: true }),
    number("time", "time"), number("memory", "memory"), number("unknown", "unknown"), number("failed", "failed"),
    number("open", "open"),
    number("sum s", "cpu_sum", { show: seconds }), number("median s", "cpu_median", { show: seconds }),
    number("max s", "cpu_max", { show: seconds }),
    number("PAR-2", "par2", { show: seconds, best: "min" }),
    number("memory MB", "memory_max", { show: (value) => fixed(value / 1e6, 1) }),
    number("fastest", "fastest", { best: "max" }), number("unique", "unique", { best: "max" }),
  ], summaries.map((row, number) => ({ ...row, options: configurations[number].options })),
  { sort: 1, last: [{ ...data.virtual_best, options: "", fastest: null, unique: null }] });
}

function sets() {
  const names = [...new Set(questions.map((question) => question.set))].sort();
  const members = new Map(names.map((name) => [name, range(height).filter((it) => questions[it].set === name)]));
  const columns = [{ name: "configuration", word: true, value: (row) => row.name }];
  const rows = configurations.map((configuration, number) => ({ name: configuration.name, number }));
  for (const name of [null, ...names]) {
    const asked = name === null ? range(height) : members.get(name);
    const count = (row) => asked.filter((question) => solved(at(question, row.number))).length;
    const time = (row) => sum(asked.map((question) => at(question, row.number)).filter(solved).map((it) => cells.cpu[it]));
    columns.push({ name: `${name ?? "all"} (${asked.length})`, value: count, best: "max",
      show: (value, row) => element("span", { style: `background: color-mix(in srgb, var(--holds) ${60 * value / Math.max(1, asked.length)}%, transparent); padding: 0 .3rem; border-radius: 3px` },
        `${value} · ${seconds(time(row))}`) });
  }
  table($("set-table"), columns, rows, { sort: 1 });
}

function effects() {
  if (data.effects.length === 0) { $("effects").hidden = true; return; }
  const both = (row, key) => `${row[key][0]} : ${row[key][1]}`;
  table($("effect-table"), [
    { name: "option", word: true, value: (row) => row.option },
    { name: "one value", word: true, value: (row) => row.values[0] || "–" },
    { name: "another", word: true, value: (row) => row.values[1] || "–" },
    { name: "pairs", value: (row) => row.pairs },
    { name: "only one solves", value: (row) => row.only[0] - row.only[1], show: (_, row) => both(row, "only") },
    { name: "quicker", value: (row) => row.quicker[0] - row.quicker[1], show: (_, row) => both(row, "quicker") },
    { name: "seconds, both solve", value: (row) => row.cpu[0] - row.cpu[1], show: (_, row) => `${seconds(row.cpu[0])} : ${seconds(row.cpu[1])}` },
    { name: "better", word: true, value: (row) => {
      const score = row.only[0] + row.quicker[0] - row.only[1] - row.quicker[1];
      return score === 0 ? "neither" : row.values[score > 0 ? 0 : 1] || "left out";
    } },
  ], data.effects);
}

function tip(event, text) {
  const box = $("tip");
  box.hidden = !text;
  if (!text) return;
  box.textContent = text;
  box.style.left = Math.min(event.clientX + 12, innerWidth - box.offsetWidth - 8) + "px";
  box.style.top = Math.min(event.clientY + 14, innerHeight - box.offsetHeight - 8) + "px";
}

function said(cell) {
  if (cells.status[cell] === null) return "no result";
  const code = cells.code[cell] > 0 ? ` (${cells.codes[cells.code[cell] - 1]})` : "";
  return `${cells.wrong[cell] ? "WRONG: " : ""}${statuses[cells.status[cell]]}${code}\n${seconds(cells.cpu[cell])} s of the processor` +
    (cells.spread[cell] > 0 ? `, spread ${seconds(cells.spread[cell])} s` : "") + `, ${fixed(cells.memory[cell], 1)} MB`;
}

function heat() {
  const canvas = $("heat-map"), left = 260, top = 110;
  const least = range(height).map((question) =>
    Math.min(...range(width).map((it) => at(question, it)).filter(solved).map((it) => cells.cpu[it]), Infinity));
  const counts = range(height).map((question) => range(width).filter((it) => solved(at(question, it))).length);
  const most = Math.max(1e-3, ...cells.cpu);
  let rows = [], columns = [], size = 12, row = 12;
  function draw() {
    const by = { order: (a, b) => a - b, solved: (a, b) => counts[b] - counts[a] || least[a] - least[b],
      time: (a, b) => least[a] - least[b], name: (a, b) => questions[a].name.localeCompare(questions[b].name, undefined, { numeric: true }) };
    rows = range(height).sort(by[$("heat-rows").value]);
    const across = { order: (a, b) => a - b, solved: (a, b) => summaries[b].solved - summaries[a].solved || summaries[a].cpu_sum - summaries[b].cpu_sum,
      time: (a, b) => (summaries[a].par2 ?? summaries[a].cpu_sum) - (summaries[b].par2 ?? summaries[b].cpu_sum) };
    columns = range(width).sort(across[$("heat-columns").value]);
    size = Math.max(4, Math.min(22, Math.floor(1000 / width)));
    row = height > 400 ? 3 : height > 150 ? 7 : 13;
    const scale = devicePixelRatio || 1;
    const [w, h] = [left + size * width + 130, top + row * height + 8];
    canvas.style.width = w + "px"; canvas.style.height = h + "px";
    canvas.width = w * scale; canvas.height = h * scale;
    const pen = canvas.getContext("2d");
    pen.scale(scale, scale);
    pen.font = "10px system-ui, sans-serif";
    const tones = Object.fromEntries(statuses.map((status) => [status, colour(status)]));
    pen.fillStyle = colour("fore");
    if (row >= 9) {
      pen.textAlign = "right";
      rows.forEach((question, number) => pen.fillText(short(questions[question].name, 44), left - 6, top + row * number + row - 3));
    }
    if (size >= 9) {
      columns.forEach((configuration, number) => {
        pen.save();
        pen.translate(left + size * (number + 0.7), top - 5);
        pen.rotate(-1.0);
        pen.textAlign = "left";
        pen.fillText(short(configurations[configuration].name, 24), 0, 0);
        pen.restore();
      });
    }
    rows.forEach((question, down) => columns.forEach((configuration, along) => {
      const cell = at(question, configuration);
      if (cells.status[cell] === null) return;
      const status = cells.wrong[cell] ? "refused" : statuses[cells.status[cell]];
      pen.fillStyle = tones[status];
      // Of what is solved, the quicker is the stronger.
      pen.globalAlpha = solved(cell) ? 1 - 0.7 * Math.log1p(cells.cpu[cell] * 1000) / Math.log1p(most * 1000) : 1;
      pen.fillRect(left + size * along, top + row * down, size - (size > 5 ? 1 : 0), row - (row > 4 ? 1 : 0));
    }));
    pen.globalAlpha = 1;
  }
  canvas.addEventListener("mousemove", (event) => {
    const box = canvas.getBoundingClientRect();
    const along = Math.floor((event.clientX - box.left - left) / size), down = Math.floor((event.clientY - box.top - top) / row);
    const question = rows[down], configuration = columns[along];
    tip(event, question === undefined || configuration === undefined ? "" :
      `${questions[question].name}\n${configurations[configuration].name}\n${said(at(question, configuration))}`);
  });
  canvas.addEventListener("mouseleave", (event) => tip(event, ""));
  $("heat-rows").addEventListener("change", draw);
  $("heat-columns").addEventListener("change", draw);
  for (const query of ["(prefers-color-scheme: dark)", "print"]) matchMedia(query).addEventListener("change", draw);
  $("heat-legend").replaceChildren(...statuses.map((status) =>
    element("span", { class: "legend" }, element("i", { style: `background: var(--${status})` }), status)),
    "The paler, the slower; wrong answers are as refused ones.");
  draw();
}

const short = (text, most) => text.length > most ? text.slice(0, most - 1) + "…" : text;

// Colours of curves: hues far from each other, one after the other.
const hue = (number) => `hsl(${(number * 137.5) % 360} 65% 48%)`;

function svg(name, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function scale(values, from, to) {
  const floor = 1e-3;
  const low = Math.floor(Math.log10(Math.max(floor, Math.min(...values, 1))));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(floor, ...values))));
  const place = (value) => from + (to - from) * (Math.log10(Math.max(value, 10 ** low)) - low) / (high - low);
  return { place, powers: range(high - low + 1).map((it) => 10 ** (low + it)), end: 10 ** high, start: 10 ** low };
}

const power = (value) => value >= 1e6 ? value.toExponential(0) : String(+value.toPrecision(6));

function save(holder, name) {
  const copy = holder.querySelector("svg").cloneNode(true);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.prepend(svg("style", {}, "text{font:12px sans-serif;fill:#000}.axis{stroke:#333}.grid{stroke:#ddd}.diagonal{stroke:#666;stroke-dasharray:5 4}.curve{fill:none;stroke-width:1.7}"));
  const link = element("a", { download: name, href: URL.createObjectURL(new Blob([copy.outerHTML], { type: "image/svg+xml" })) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function quantiles() {
  const curves = configurations.map((configuration, number) => ({
    name: configuration.name, number, times: range(height).map((question) => at(question, number)).filter(solved).map((it) => cells.cpu[it]).sort((a, b) => a - b),
  }));
  const best = [...curves].sort((a, b) => b.times.length - a.times.length || sum(a.times) - sum(b.times));
  let shown = new Set(best.slice(0, 10).map((curve) => curve.number));
  const [w, h, left, bottom] = [860, 420, 60, 40];
  const all = curves.flatMap((curve) => curve.times);
  const y = scale(all, h - bottom, 12);
  const most = Math.max(1, ...curves.map((curve) => curve.times.length));
  const x = (count) => left + (w - left - 12) * count / most;
  function draw() {
    const picture = svg("svg", { viewBox: `0 0 ${w} ${h}`, width: w, height: h, role: "img", "aria-label": "quantile plot" });
    for (const value of y.powers) {
      picture.append(svg("line", { class: "grid", x1: left, x2: w - 12, y1: y.place(value), y2: y.place(value) }),
        svg("text", { x: left - 6, y: y.place(value) + 4, "text-anchor": "end" }, power(value)));
    }
    for (const part of [0, 0.25, 0.5, 0.75, 1]) {
      const count = Math.round(most * part);
      picture.append(svg("text", { x: x(count), y: h - bottom + 16, "text-anchor": "middle" }, String(count)));
    }
    picture.append(svg("line", { class: "axis", x1: left, x2: w - 12, y1: h - bottom, y2: h - bottom }),
      svg("text", { x: w / 2, y: h - 6, "text-anchor": "middle" }, "questions solved"),
      svg("text", { transform: `translate(14 ${h / 2}) rotate(-90)`, "text-anchor": "middle" }, "seconds of the processor"));
    for (const curve of curves.filter((it) => shown.has(it.number))) {
      const points = curve.times.map((time, count) => `${x(count + 1).toFixed(1)},${y.place(time).toFixed(1)}`).join(" ");
      picture.append(svg("polyline", { class: "curve", points, stroke: hue(curve.number) }, svg("title", {}, curve.name)));
    }
    $("quantile-plot").replaceChildren(picture);
    $("quantile-names").replaceChildren(...best.map((curve) => {
      const name = element("li", { class: shown.has(curve.number) ? undefined : "off" },
        element("i", { style: `background: ${hue(curve.number)}` }), `${curve.name} (${curve.times.length})`);
      name.addEventListener("click", () => { shown.has(curve.number) ? shown.delete(curve.number) : shown.add(curve.number); draw(); });
      return name;
    }));
  }
  const set = (numbers) => () => { shown = new Set(numbers); draw(); };
  $("quantile-best").addEventListener("click", set(best.slice(0, 10).map((curve) => curve.number)));
  $("quantile-all").addEventListener("click", set(range(width)));
  $("quantile-none").addEventListener("click", set([]));
  $("quantile-save").addEventListener("click", () => save($("quantile-plot"), "quantiles.svg"));
  draw();
}

function scatter() {
  const names = configurations.map((configuration, number) => element("option", { value: number }, configuration.name));
  $("scatter-x").append(...names);
  $("scatter-y").append(...names.map((name) => name.cloneNode(true)));
  const order = range(width).sort((a, b) => summaries[b].solved - summaries[a].solved || summaries[a].cpu_sum - summaries[b].cpu_sum);
  $("scatter-x").value = order[0];
  $("scatter-y").value = order[Math.min(1, width - 1)];
  function draw() {
    const [one, other, what] = [+$("scatter-x").value, +$("scatter-y").value, $("scatter-what").value];
    const points = range(height).map((question) => {
      const [a, b] = [at(question, one), at(question, other)];
      return { question, a: solved(a) ? cells[what][a] : null, b: solved(b) ? cells[what][b] : null };
    }).filter((point) => point.a !== null || point.b !== null);
    const values = points.flatMap((point) => [point.a, point.b]).filter((value) => value !== null);
    const size = 520, left = 64, bottom = 48;
    const x = scale(values, left, size - 14), y = scale(values, size - bottom, 14);
    const picture = svg("svg", { viewBox: `0 0 ${size} ${size}`, width: size, height: size, role: "img", "aria-label": "scatter plot" });
    for (const value of x.powers) {
      picture.append(svg("line", { class: "grid", x1: x.place(value), x2: x.place(value), y1: 14, y2: size - bottom }),
        svg("line", { class: "grid", x1: left, x2: size - 14, y1: y.place(value), y2: y.place(value) }),
        svg("text", { x: x.place(value), y: size - bottom + 16, "text-anchor": "middle" }, power(value)),
        svg("text", { x: left - 6, y: y.place(value) + 4, "text-anchor": "end" }, power(value)));
    }
    const diagonal = (factor) => {
      const [from, to] = factor >= 1 ? [x.start * factor, x.end] : [x.start, x.end * factor];
      return svg("line", { class: "diagonal", x1: x.place(from), y1: y.place(from / factor), x2: x.place(to), y2: y.place(to / factor) });
    };
    picture.append(diagonal(1), diagonal(10), diagonal(0.1),
      svg("text", { x: size / 2, y: size - 8, "text-anchor": "middle" }, short(configurations[one].name, 60)),
      svg("text", { transform: `translate(14 ${size / 2}) rotate(-90)`, "text-anchor": "middle" }, short(configurations[other].name, 60)));
    for (const point of points) {
      const missing = point.a === null || point.b === null;
      const dot = svg("circle", { cx: x.place(point.a ?? x.end), cy: y.place(point.b ?? y.end), r: 3.5,
        fill: colour(missing ? "memory" : "violated"), "fill-opacity": 0.65 });
      dot.addEventListener("mousemove", (event) => tip(event, `${questions[point.question].name}\nacross: ${said(at(point.question, one))}\nup: ${said(at(point.question, other))}`));
      dot.addEventListener("mouseleave", (event) => tip(event, ""));
      picture.append(dot);
    }
    $("scatter-plot").replaceChildren(picture);
    const shared = points.filter((point) => point.a !== null && point.b !== null);
    $("scatter-text").textContent = `Both solve ${shared.length}; only ${configurations[one].name} ${points.filter((it) => it.b === null).length}, ` +
      `only ${configurations[other].name} ${points.filter((it) => it.a === null).length}, which are on the edge. Less across: ` +
      `${shared.filter((it) => it.a < it.b).length}, less up: ${shared.filter((it) => it.b < it.a).length}. Diagonals: the same, and ten times as much.`;
  }
  for (const id of ["scatter-x", "scatter-y", "scatter-what"]) $(id).addEventListener("change", draw);
  $("scatter-save").addEventListener("click", () => save($("scatter-plot"), "scatter.svg"));
  draw();
}

// Only the rows in sight are made, so that any number of results can be scrolled through.
function results() {
  const columns = [
    ["question", (cell) => questions[Math.floor(cell / width)].name],
    ["configuration", (cell) => configurations[cell % width].name],
    ["status", (cell) => statuses[cells.status[cell]]],
    ["cpu s", (cell) => cells.cpu[cell]],
    ["wall s", (cell) => cells.wall[cell]],
    ["memory MB", (cell) => cells.memory[cell]],
    ["states", (cell) => cells.stored[cell]],
    ["code", (cell) => cells.code[cell] > 0 ? cells.codes[cells.code[cell] - 1] : ""],
  ];
  const digits = [0, 0, 0, 3, 3, 1, 0, 0];
  const given = range(width * height).filter((cell) => cells.status[cell] !== null);
  let order = { column: 0, down: false }, list = given;
  const choices = (id, all, names) => $(id).append(element("option", { value: "" }, all), ...names.map((name) => element("option", { value: name }, name)));
  choices("filter-configuration", "all configurations", configurations.map((it) => it.name));
  choices("filter-set", "all sets", [...new Set(questions.map((it) => it.set))].sort());
  choices("filter-status", "any status", statuses);
  function choose() {
    const text = $("filter-text").value.toLowerCase(), configuration = $("filter-configuration").value;
    const set = $("filter-set").value, status = $("filter-status").value, wrong = $("filter-wrong").checked;
    list = given.filter((cell) => {
      const question = questions[Math.floor(cell / width)];
      return (!text || question.name.toLowerCase().includes(text)) && (!configuration || configurations[cell % width].name === configuration)
        && (!set || question.set === set) && (!status || statuses[cells.status[cell]] === status) && (!wrong || cells.wrong[cell]);
    });
    const value = columns[order.column][1], sign = order.down ? -1 : 1;
    const keys = new Map(list.map((cell) => [cell, value(cell)]));
    const compare = order.column < 3 || order.column === 7 ? (a, b) => a < b ? -1 : a > b ? 1 : 0 : (a, b) => a - b;
    list.sort((a, b) => sign * compare(keys.get(a), keys.get(b)) || a - b);
    $("filter-count").textContent = `${list.length} of ${given.length} results`;
    $("result-space").style.height = list.length * 24 + "px";
    $("result-view").scrollTop = 0;
    heads();
    draw();
  }
  function heads() {
    $("result-head").replaceChildren(...columns.map(([name], number) => {
      const cell = element("span", { "aria-sort": order.column === number ? (order.down ? "descending" : "ascending") : undefined }, name);
      cell.addEventListener("click", () => { order = { column: number, down: order.column === number && !order.down }; choose(); });
      return cell;
    }));
  }
  function draw() {
    const first = Math.max(0, Math.floor($("result-view").scrollTop / 24) - 5);
    $("result-rows").style.top = first * 24 + "px";
    $("result-rows").replaceChildren(...list.slice(first, first + 40).map((cell) => {
      const row = element("div", { class: "row" });
      columns.forEach(([, value], number) => {
        const shown = value(cell), numeric = typeof shown === "number";
        const part = element("span", { class: numeric ? "n" : undefined }, numeric ? shown.toFixed(digits[number]) : shown);
        if (!numeric) part.title = shown;
        if (number === 2) part.style.color = `var(--${cells.wrong[cell] ? "refused" : shown})`;
        row.append(part);
      });
      return row;
    }));
  }
  $("result-view").addEventListener("scroll", draw);
  for (const id of ["filter-text", "filter-configuration", "filter-set", "filter-status", "filter-wrong"]) $(id).addEventListener("input", choose);
  choose();
}

function conditions() {
  const limits = data.limits;
  const date = (when) => when ? new Date(when * 1000).toISOString().replace("T", " ").slice(0, 19) + " UTC" : "–";
  const rows = [
    ["program", data.program], ["build (BLAKE3)", data.build],
    ["limits", [limits.cpu_seconds && `${limits.cpu_seconds} s of the processor`, limits.wall_seconds && `${limits.wall_seconds} s on the wall`,
      limits.memory_mb && `${limits.memory_mb} MB`].filter(Boolean).join(", ") || "none"],
    ["repetitions", data.repetitions], ["results", `${data.done} of ${data.jobs}`],
    ["begun", `${date(data.began[0])}; the last job ${date(data.began[1])}`],
    ...Object.entries(data.hosts).map(([host, count]) => {
      const it = data.machines.find((machine) => machine.host === host);
      return [`machine ${host}`, it === undefined ? `${count} results` : `${it.processor}, ${it.cores} cores, ` +
        `${fixed(it.memory_mb / 1000, 1)} GB of memory, ${it.kernel}, ${it.solver}; ${count} results`];
    }),
    ["left out, not there", data.missing.length ? data.missing.join(", ") : "nothing"],
  ];
  $("condition-table").append(...rows.map(([name, value]) => element("tr", {}, element("th", { class: "word", scope: "row" }, name), element("td", { class: "word long" }, value))));
}

for (const part of [head, summary, sets, effects, heat, quantiles, scatter, results, conditions]) part();
document.documentElement.dataset.ready = "yes";
})();
