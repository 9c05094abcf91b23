/** The result of a job that has ended, shown again. */
import { openFolds } from "../engine/checkpoint.ts";
import { encodeEntry } from "../persistence/codec.ts";
import { type Context, say } from "./context.ts";
import { exitOfState } from "./exit-codes.ts";
import { type JobPlace, withLog } from "./jobs.ts";
import { lastWords } from "./last-words.ts";
import { JobViewer } from "./view/job-view.ts";

/** Shows the result as the run itself has shown it. Returns the exit code of the job's state. */
export async function showEnd(
  context: Context,
  place: JobPlace,
  { json }: { readonly json: boolean },
): Promise<number> {
  const viewer = await withLog(place, async (bus) => {
    const { reader } = await openFolds(bus.log);
    if (json) {
      for await (const entry of bus.log.read(0, reader.seq)) {
        say(context.stdout, encodeEntry(entry));
        await context.stdout.drained();
      }
    }
    return new JobViewer(reader);
  });
  const { state, delivered } = viewer.view();
  const output = json ? context.stderr : context.stdout;
  for (const line of await lastWords(context, place.top, { kind: "ended", state }, viewer)) say(output, line);
  return exitOfState(state, delivered?.problem);
}
