// Opens the report of a campaign in a headless browser and tries it: that it gets ready in time, says nothing to the console, and
// that sorting, filters and plots do what they say. Needs Chromium and Node; loads nothing.
//
//   node report.mjs REPORT.html [SCREENSHOTS]
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [report, shots] = process.argv.slice(2);
if (!report) { console.error("usage: node report.mjs REPORT.html [SCREENSHOTS]"); process.exit(2); }
const profile = mkdtempSync(join(tmpdir(), "report-"));
const browser = spawn(process.env.CHROMIUM || "chromium", ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
  `--user-data-dir=${profile}`, "--window-size=1300,1000", "about:blank"], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
const failures = [], said = [];
const expect = (what, fine) => { console.log(`${fine ? "ok  " : "FAIL"} ${what}`); if (!fine) failures.push(what); };

let number = 0, session, rest = "";
const waiting = new Map();
browser.stdio[4].on("data", (part) => {
  const messages = (rest + part).split("\0");
  rest = messages.pop();
  messages.forEach(told);
});
function told(data) {
  const message = JSON.parse(data);
  if (message.id) { waiting.get(message.id)(message); waiting.delete(message.id); }
  if (message.method === "Runtime.exceptionThrown") said.push(message.params.exceptionDetails.text);
  if (message.method === "Runtime.consoleAPICalled") said.push(message.params.args.map((it) => it.value).join(" "));
  if (message.method === "Log.entryAdded") said.push(message.params.entry.text);
  if (message.method === "Network.requestWillBeSent" && !/^(file|data|blob):/.test(message.params.request.url)) said.push(message.params.request.url);
}
const call = (method, params = {}) => new Promise((answer) => {
  waiting.set(++number, answer);
  browser.stdio[3].write(JSON.stringify({ id: number, method, params, sessionId: session }) + "\0");
});
const { result: { targetInfos } } = await call("Target.getTargets");
const target = targetInfos.find((it) => it.type === "page").targetId;
session = (await call("Target.attachToTarget", { targetId: target, flatten: true })).result.sessionId;
for (const part of ["Page", "Runtime", "Log", "Network"]) await call(`${part}.enable`);
// Time of the processor, which is the same however busy the machine is.
await call("Performance.enable", { timeDomain: "threadTicks" });
const value = async (expression) => (await call("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true })).result.result.value;
const shot = async (name) => {
  if (!shots) return;
  // A long page may be more than the browser can draw at once; then what is seen first has to do.
  for (const captureBeyondViewport of [true, false]) {
    const { result, error } = await call("Page.captureScreenshot", { format: "png", captureBeyondViewport });
    if (result) { writeFileSync(join(shots, `${name}.png`), Buffer.from(result.data, "base64")); return; }
    console.log(`     no picture ${name}: ${error?.message}`);
  }
};
const media = (features, kind = "") => call("Emulation.setEmulatedMedia", { media: kind, features });

const began = performance.now();
await call("Page.navigate", { url: pathToFileURL(resolve(report)).href });
while (!(await value("document.documentElement.dataset.ready === 'yes' || null"))) {
  if (performance.now() - began > 30000) break;
  await new Promise((later) => setTimeout(later, 10));
}
const took = performance.now() - began;
const count = await value("JSON.parse(document.getElementById('data').textContent).cells.status.length");
const busy = (await call("Performance.getMetrics")).result.metrics.find((it) => it.name === "TaskDuration").value;
expect(`${count} cells are ready in ${(took / 1000).toFixed(2)} s, of which ${busy.toFixed(2)} s of the processor, less than 2 s`, took < 30000 && busy < 2);
await shot("light");

// Sorting: the first column of the summary, both ways.
const column = "[...document.querySelectorAll('#summary-table tbody tr:not(.last) td:first-child')].map((it) => it.textContent)";
const click = "document.querySelector('#summary-table th').click()";
const up = await value(`${click}; ${column}`), down = await value(`${click}; ${column}`);
expect("a click on a heading sorts, another one turns it around", JSON.stringify(up) === JSON.stringify([...down].reverse()) && (up.length < 2 || up[0] !== down[0]));
const solved = "[...document.querySelectorAll('#summary-table tbody tr:not(.last)')].map((it) => +it.children[1].textContent)";
const most = await value(`document.querySelectorAll('#summary-table th')[1].click(); ${solved}`);
expect("numbers are sorted as numbers, the largest first", most.every((it, at) => at === 0 || most[at - 1] >= it));

// Filters: by status, by text, and back.
const shown = "document.getElementById('filter-count').textContent";
const set = (id, text) => `(() => { const it = document.getElementById('${id}'); it.value = ${JSON.stringify(text)}; it.dispatchEvent(new Event('input')); })()`;
const all = await value(shown);
const statuses = await value("JSON.parse(document.getElementById('data').textContent).cells.status.filter((it) => it === 0).length");
const holds = await value(`${set("filter-status", "holds")}; ${shown}`);
expect(`the filter of statuses counts ${statuses}`, holds.startsWith(`${statuses} of `));
const rows = await value("[...document.querySelectorAll('#result-rows .row')].map((it) => it.children[2].textContent)");
expect("only such rows are shown", rows.every((it) => it === "holds"));
const name = await value("document.querySelector('#result-rows .row')?.children[0].textContent ?? ''");
const one = await value(`${set("filter-text", name)}; [...document.querySelectorAll('#result-rows .row')].every((it) => it.children[0].textContent.includes(${JSON.stringify(name)}))`);
expect("the filter of texts finds a question", one === true);
const back = await value(`${set("filter-text", "")}; ${set("filter-status", "")}; ${shown}`);
expect("without filters everything is back", back === all);
const times = await value("document.querySelectorAll('#result-head span')[3].click(); [...document.querySelectorAll('#result-rows .row')].map((it) => +it.children[3].textContent)");
expect("results are sorted by time", times.every((it, at) => at === 0 || times[at - 1] <= it));
const deep = await value("(() => { const it = document.getElementById('result-view'); it.scrollTop = it.scrollHeight; it.dispatchEvent(new Event('scroll')); return document.querySelectorAll('#result-rows .row').length; })()");
expect("the end of the list can be scrolled to", deep > 0);

// Plots.
const curves = await value("document.querySelectorAll('#quantile-plot .curve').length");
const none = await value("document.getElementById('quantile-none').click(); document.querySelectorAll('#quantile-plot .curve').length");
expect("curves are switched off", curves > 0 && none === 0);
await value("document.getElementById('quantile-best').click()");
expect("the scatter plot has points and three diagonals", await value("document.querySelectorAll('#scatter-plot circle').length > 0 && document.querySelectorAll('#scatter-plot .diagonal').length === 3"));
expect("the heat map tells of what is under the pointer", await value("(() => { const it = document.getElementById('heat-map'), box = it.getBoundingClientRect(); it.dispatchEvent(new MouseEvent('mousemove', { clientX: box.left + 265, clientY: box.top + 113 })); return !document.getElementById('tip').hidden; })()"));
await value("document.getElementById('heat-map').dispatchEvent(new MouseEvent('mouseleave'))");

await media([{ name: "prefers-color-scheme", value: "dark" }]);
const dark = await value("getComputedStyle(document.body).backgroundColor");
await shot("dark");
await media([{ name: "prefers-color-scheme", value: "dark" }], "print");
expect("on paper it is dark on white, whatever the screen is", dark !== "rgb(255, 255, 255)" && await value("getComputedStyle(document.body).backgroundColor") === "rgb(255, 255, 255)");
await shot("print");
expect(`nothing is said to the console, nothing is loaded${said.length ? ": " + said.join("; ") : ""}`, said.length === 0);
call("Browser.close");
await new Promise((over) => { browser.exitCode !== null ? over() : browser.on("exit", over); setTimeout(() => { browser.kill(); over(); }, 3000); });
rmSync(profile, { recursive: true, force: true });
process.exit(failures.length ? 1 : 0);
