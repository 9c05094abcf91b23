/**
 * Cost of one reduction in soups of 100, 10,000 and 100,000 threads: it must not depend on their number.
 * Run: npm run bench. Figures are ratios within one run; absolute ones depend on the machine, which is printed.
 */
import { cpus } from "node:os";
import { fire } from "../dist/rules/fire.js";
import { firstStructural, redexesOf } from "../dist/rules/redex.js";
import { complete } from "../dist/rules/table.js";
import { Configuration } from "../dist/soup/configuration.js";
import { configurationOf } from "../dist/soup/edit.js";
import { plainMessage } from "../dist/soup/parse.js";
import { Queue } from "../dist/soup/queue.js";

const STEPS = 400_000;

/** A pair of threads that plays ping-pong, among `count` idle ones, each with mail of `mail` messages but no owner awake. */
function soup(count) {
  const molecules = [];
  const idle = (agent, thread) =>
    molecules.push({ kind: "Idle", agent, thread }, { kind: "Mailbox", agent, thread, messages: Queue.of() });
  idle("A", "a");
  for (let i = 0; i < count - 2; i++) idle("C", `idle:${i}`);
  idle("B", "b");
  molecules.push({ kind: "Parent", child: "b", thread: "a" });
  return configurationOf(Configuration.empty(), molecules);
}

/** Fires `steps` rules of a ping-pong between a and b, keeping every hundredth snapshot alive. */
function pingPong(start, steps) {
  const ball = plainMessage("ball");
  const partner = { a: ["B", "b"], b: ["A", "a"] };
  let configuration = configurationOf(start, []);
  const first = redexesOf(complete, configuration, "a");
  if (first.length > 0) throw new Error("the soup is not idle");
  let thread = "a";
  const mailbox = configuration.cell("a").mailboxes[0];
  const kept = [];
  configuration = put(configuration, mailbox, ball);
  const begin = process.hrtime.bigint();
  for (let done = 0; done < steps;) {
    let redex = firstStructural(complete, configuration, thread);
    if (redex === undefined) {
      const run = redexesOf(complete, configuration, thread).find(({ rule }) => rule.id === "send-step");
      if (run === undefined) {
        thread = partner[thread][1];
        continue;
      }
      const [agent, to] = partner[thread];
      configuration = fire(configuration, run, {
        ps: [{ kind: "deliver", agent, thread: to, message: ball }],
      });
    } else {
      configuration = fire(configuration, redex);
    }
    if (++done % 100 === 0) kept.push(configuration);
  }
  const nanos = Number(process.hrtime.bigint() - begin) / steps;
  return { nanos, kept: kept.length };
}

function put(configuration, mailbox, message) {
  const cell = configuration.cell(mailbox.thread);
  return configuration.withCell({
    ...cell,
    mailboxes: [{ ...mailbox, messages: mailbox.messages.push(message) }],
  });
}

console.log(`${cpus()[0].model}, Node ${process.version}`);
pingPong(soup(100), STEPS / 4);
const rows = [100, 10_000, 100_000].map((threads) => ({ threads, ...pingPong(soup(threads), STEPS) }));
for (const { threads, nanos } of rows) {
  const ratio = nanos / rows[0].nanos;
  const perSecond = Math.round(1e9 / nanos).toLocaleString("en");
  console.log(
    `${String(threads).padStart(8)} threads  ${nanos.toFixed(0).padStart(6)} ns a reduction  ${perSecond.padStart(10)}/s  ${ratio.toFixed(2)} x the cost at 100 (target: at most 2)`,
  );
}
