/**
 * The interpreter that is measured: the worklist of `reduce` with agents that choose at once.
 *
 * B4. It uses what any embedder may use: `firstStructural`, `redexOf`, `fire`, `touched`. Nothing is special-cased.
 */
import { fire, touched } from "../dist/rules/fire.js";
import { move } from "../dist/rules/moves.js";
import { firstStructural, redexOf } from "../dist/rules/redex.js";
import { complete } from "../dist/rules/table.js";
import { Configuration } from "../dist/soup/configuration.js";
import { configurationOf } from "../dist/soup/edit.js";
import { printSoup } from "../dist/soup/print.js";

const BROADCAST = complete.byId.get("send-step");
const SILENCE = complete.byId.get("nosend-step");

/** The configuration in which a workload starts. */
export function open({ facts, ready, molecules }) {
  let configuration = Configuration.empty(facts);
  for (const thread of ready) {
    const moved = move(configuration, { kind: "workspace", thread, commit: "c0", refused: null });
    configuration = moved.configuration;
  }
  return configurationOf(configuration, molecules);
}

/** Reduces to rest. Calls `keep` with every snapshot. */
export function runEngine({ agenda, behave }, start, keep = () => {}) {
  const work = [...agenda];
  let configuration = start;
  let count = 0;
  for (let thread = work.at(-1); thread !== undefined; thread = work.at(-1)) {
    let redex = firstStructural(complete, configuration, thread);
    let choice;
    if (redex === undefined) {
      const running = configuration.cell(thread)?.lifecycles[0];
      if (running?.kind !== "Run") {
        work.pop();
        continue;
      }
      const ps = behave(thread, running.turn);
      redex = redexOf(ps === undefined ? SILENCE : BROADCAST, configuration, thread);
      if (ps !== undefined) choice = { ps };
    }
    configuration = fire(configuration, redex, choice);
    keep(configuration);
    count++;
    for (const other of touched(redex)) if (other !== thread) work.push(other);
  }
  return { configuration, count };
}

/** Soup and closed threads in notation. */
export function finalOf(configuration) {
  return { soup: printSoup(configuration), closed: [...configuration.closed()].sort() };
}
