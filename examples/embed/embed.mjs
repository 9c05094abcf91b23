// Runs a job in this process: a lead and two writers that are functions. Usage: node embed.mjs [REPOSITORY]
import { writeFile } from "node:fs/promises";
import { defineAgent, openEngine, parseJob } from "cfa";

const text = `
name: greetings
request: Write a greeting in two languages.
agents:
  lead: { adapter: script, steps: [{}], roster: [writer] }
  writer: { adapter: script, steps: [{}] }
`;
const { definition } = parseJob(text, {
  file: "greetings.yaml",
  directory: process.argv[2] ?? process.cwd(),
});

const lead = defineAgent(async (turn) => {
  if (turn.state !== "EXECUTE") return turn.outcome(`APPROVED_${turn.state}`, "nothing to discuss");
  if (turn.message.kind === "task") {
    for (const word of ["hello", "hola"]) await turn.send({ to: "writer", message: word });
    return "dispatched";
  }
  await turn.close(turn.message.from.thread);
  if (turn.children.length === 1) await turn.outcome("APPROVED_WORK", "both greetings are written");
  return `closed after: ${turn.message.body}`;
});
const writer = defineAgent(async (turn) => {
  await writeFile(`${turn.workspace}/${turn.message.body}.txt`, `${turn.message.body}, world\n`);
  return `${turn.message.body}.txt is written`;
});

const engine = openEngine({ bus: "memory" });
const job = await engine.start(definition, { agents: { lead, writer } });
for await (const { kind, body } of job) {
  if (kind === "transition") console.log(`${body.from} -> ${body.to}: ${body.reason}`);
  if (kind === "deliver") console.log(`delivered on ${body.branch}`);
}
console.log(await job.end);
await engine.close();
