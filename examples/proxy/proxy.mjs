/**
 * One turn of the proxy: the question stands in the prompt, and after the human's reply what they said.
 *
 * P1. It answers what it knows, asks the human what it cannot know, and gives up what the human would never pay for.
 */
import { execFileSync } from "node:child_process";
import { text } from "node:stream/consumers";

const cfa = (...words) => execFileSync("cfa", words);
const prompt = await text(process.stdin);
const [, question = ""] = /^The question:\n(.*)$/m.exec(prompt) ?? [];
const [, euros] = / (\d+) euros/.exec(question) ?? [];
const said = [...prompt.matchAll(/^The human: (.*)$/gm)].at(-1)?.[1];

if (said !== undefined) cfa("respond", said);
else if (question === "Formal or friendly?") cfa("respond", "friendly, as ever");
else if (Number(euros) > 100) cfa("respond", "--withdraw", "they never spend more than 100 euros");
else cfa("ask", `The lead wants to know: ${question}`);
