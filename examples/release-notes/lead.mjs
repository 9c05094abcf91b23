/** The lead: one turn of INTENT, PLAN or EXECUTE. */
import { execute } from "./execute.mjs";
import { readIntent, settleIntent } from "./intent.mjs";
import { settlePlan } from "./plan.mjs";
import { Failure, outcome, runTurn } from "./turn.mjs";

async function intent({ artifacts }) {
  const done = await settleIntent(artifacts.intent);
  await outcome("APPROVED_INTENT", done);
  return done;
}

async function plan({ artifacts }) {
  const range = await readIntent(artifacts.intent);
  if (range === undefined) {
    await outcome("REALIGN", `${artifacts.intent} names no range of this repository.`);
    return `${artifacts.intent} cannot be planned: back to INTENT.`;
  }
  const done = await settlePlan(artifacts.plan, range);
  await outcome("APPROVED_PLAN", done);
  return done;
}

const STATES = new Map([
  ["INTENT", intent],
  ["PLAN", plan],
  ["EXECUTE", execute],
]);

await runTurn((turn) => {
  const work = STATES.get(turn.state);
  if (work === undefined)
    throw new Failure(`The lead works in INTENT, PLAN and EXECUTE, not in "${turn.state}".`);
  return work(turn);
});
