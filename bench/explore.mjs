/**
 * Exploration: configurations a second on one core. A parent opens N children; each reports, or asks under `always` and
 * then reports. Figures count processor time, so that other work on the machine does not show.
 * Run: npm run build && node bench/explore.mjs
 */
import { cpus } from "node:os";
import { runScenario } from "../dist/rules/explore/run-scenario.js";
import { parseScenario } from "../dist/rules/explore/scenario.js";

const TARGET = 50_000;

function fanOut(count) {
  const children = Array.from({ length: count }, (_, at) => `t${at}`);
  const scripts = children.map((thread) => ({
    agent: "C",
    thread,
    run: 1,
    choices: [
      { send: [{ to: ["R", "r"], msg: `done ${thread}` }] },
      { ask: [`e${thread}`, "how?", "always"] },
    ],
  }));
  const work = { send: children.map((thread) => ({ to: ["C", thread], msg: "work" })) };
  return parseScenario(
    JSON.stringify({
      name: `${count} children`,
      initial: ["Idle(R,r)", "Mailbox(R,r,[go])"],
      roster: { R: ["C"] },
      cap: count,
      scripts: [{ agent: "R", thread: "r", run: 1, choices: [work] }, ...scripts],
    }),
  );
}

const number = (value) => Math.round(value).toLocaleString("en");

console.log(`${cpus()[0].model}, Node ${process.version}`);
runScenario(fanOut(3));
for (const count of [3, 4, 5]) {
  for (const reduce of [false, true]) {
    const scenario = fanOut(count);
    const begin = process.cpuUsage();
    const { states, firings } = runScenario(scenario, { reduce });
    const { user, system } = process.cpuUsage(begin);
    const seconds = (user + system) / 1e6;
    console.log(
      `${count} children, ${reduce ? "reduced" : "full   "} ${number(states).padStart(10)} configurations ${number(firings).padStart(10)} firings ` +
        `${seconds.toFixed(2).padStart(6)} s ${number(states / seconds).padStart(10)}/s (target: at least ${number(TARGET)})`,
    );
  }
}
