/**
 * EXECUTE: a writer per section, a check of all sections, the notes.
 *
 * E1. Every turn is derived from the message and the files of the tree, never from memory: run twice, it does the same.
 * E2. At most {@link AT_ONCE} children are open; each is closed, and its work merged, as it replies.
 * E3. A close happens after its turn, so the turn that closes the last writer cannot read what it wrote. It dispatches
 *     the check instead: a tree that is branched after those merges. Its reply starts the turn that assembles.
 * E4. The notes are approved only when they name each commit of the range exactly once.
 */
import { NOTES, readText, removeScratch, sectionPath, writeText } from "./files.mjs";
import { track } from "./history.mjs";
import { rangeInWords } from "./intent.mjs";
import { coverageFault, namesIn } from "./names.mjs";
import { assembleNotes, groupEntries } from "./notes.mjs";
import { readPlan } from "./plan.mjs";
import { CHECK, Progress } from "./progress.mjs";
import { checkTask, readCheckReport, reportsSection, sectionTask } from "./reports.mjs";
import { readSections } from "./section.mjs";
import { Failure, close, dispatch, outcome, remind } from "./turn.mjs";

const AT_ONCE = 3;

/** One turn of the lead in EXECUTE. */
export async function execute({ message, thread, artifacts }) {
  const plan = await readPlan(artifacts.plan);
  if (plan === undefined) {
    await outcome("REPLAN", `${artifacts.plan} holds no plan that covers its range.`);
    return `${artifacts.plan} cannot be executed: back to PLAN.`;
  }
  const known = await Progress.read(thread);
  if (known === undefined && (await isFinished(plan, artifacts))) return approve(plan);
  if (known === undefined) await removeScratch();
  const progress = known ?? new Progress(thread);
  await hear(message, plan, progress);
  if (progress.isDone(CHECK)) {
    const { entries, faults } = await readSections(plan);
    if (faults.length === 0) return finish(plan, entries, artifacts);
    reject(
      progress,
      faults.map(({ number }) => number),
    );
  }
  await goOn(message, plan, progress);
  await progress.write();
  return describe(plan, progress);
}

/** Takes in what a message says about open children, and closes those that have ended, well or badly. */
async function hear(message, plan, progress) {
  const named = progress.namedIn(message);
  for (const key of named) {
    await close(progress.thread(key)); // a child that is gone already needs no close: a refusal changes nothing
    if (key === CHECK) hearCheck(message, progress);
    else progress.settled(key, reportsSection(message, key, plan.sections.length) ? "done" : "failed");
  }
  if (named.length === 0 && !progress.knows(message)) await remindAll(plan, progress);
}

function hearCheck(message, progress) {
  const wrong = readCheckReport(message);
  progress.settled(CHECK, wrong?.length === 0 ? "done" : "failed");
  if (wrong !== undefined) reject(progress, wrong);
}

/** Sections that a check found wrong are to be written, and all checked, once more. */
function reject(progress, numbers) {
  if (numbers.length > 0) progress.settled(CHECK, "failed");
  for (const number of numbers) progress.settled(String(number), "failed");
}

/**
 * A message that is about none of the children, such as a nudge: whoever is open is asked once more, which costs
 * nothing if it is at work, for the same file comes of it. One that cannot be reached is given up.
 */
async function remindAll(plan, progress) {
  for (const key of progress.open()) {
    const { agent, task } = dispatchOf(key, plan);
    const { refused } = await remind(agent, progress.thread(key), task);
    if (refused !== undefined) progress.settled(key, "failed");
  }
}

function dispatchOf(key, plan) {
  const count = plan.sections.length;
  if (key === CHECK) return { agent: "checker", task: checkTask(count) };
  return { agent: "writer", task: sectionTask(Number(key), count, sectionPath(Number(key))) };
}

/** Dispatches what is due, as far as there is room (E2): sections first, the check when all of them are done (E3). */
async function goOn(message, plan, progress) {
  const sections = plan.sections.map((_, at) => String(at + 1));
  const due = sections.every((key) => progress.isDone(key)) ? [CHECK] : sections;
  for (const key of due.filter((key) => !progress.isDone(key) && !progress.isOpen(key))) {
    if (progress.open().length >= AT_ONCE) return;
    progress.requireAttempt(key, oneLine(message));
    const { agent, task } = dispatchOf(key, plan);
    const { printed, refused } = await dispatch(agent, task);
    if (refused === undefined) progress.opened(key, printed);
    else if (progress.open().length > 0)
      return; // tried again when one of those replies
    else throw new Failure(`No ${agent} could be dispatched: ${refused}`);
  }
}

const oneLine = (text) => text.replace(/\s+/g, " ").trim().slice(0, 300);

/** Assembles, checks the result itself (E4), writes the summary, cleans up and approves. */
async function finish(plan, entries, artifacts) {
  const notes = assembleNotes(plan, entries);
  const fault = faultOfNotes(notes, plan);
  if (fault !== undefined) throw new Failure(`${NOTES} would be wrong: ${fault}.`);
  await writeText(NOTES, notes);
  await track(NOTES);
  await writeText(artifacts.summary, summarise(plan, entries));
  await removeScratch();
  return approve(plan);
}

function faultOfNotes(notes, plan) {
  const hashes = plan.sections.flat();
  return coverageFault(namesIn(notes, hashes), hashes);
}

/** Whether an earlier turn has finished already: an approval is held while mail is unread, and asked for again. */
async function isFinished(plan, artifacts) {
  const notes = await readText(NOTES);
  const summary = await readText(artifacts.summary);
  return notes !== undefined && summary !== undefined && faultOfNotes(notes, plan) === undefined;
}

async function approve({ range }) {
  await outcome(
    "APPROVED_WORK",
    `${NOTES} names each of the ${range.commits} commits of the range exactly once.`,
  );
  return `${NOTES} is complete: ${range.commits} commits, each exactly once.`;
}

function summarise(plan, entries) {
  const groups = groupEntries(entries).map(({ title, lines }) => `- ${title}: ${lines.length}`);
  return `# Release notes written

\`${NOTES}\` covers ${rangeInWords(plan.range)}: ${entries.length} commits, written in ${plan.sections.length} sections, each
commit checked to appear exactly once.

${groups.join("\n")}
`;
}

function describe(plan, progress) {
  const done = plan.sections.filter((_, at) => progress.isDone(String(at + 1))).length;
  const open = progress.open().map((key) => (key === CHECK ? "the check" : `section ${key}`));
  return `${done} of ${plan.sections.length} sections are written; at work: ${open.join(", ")}.`;
}
