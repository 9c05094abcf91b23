/**
 * The live view on a terminal: what happened above, the tree of threads below, drawn again in place.
 *
 * V1. At most {@link PICTURES_A_SECOND} pictures a second; without news one a second, for the clocks.
 * V2. An open question is shown below the tree and answered there (answering.ts).
 */
import type { Context } from "../context.ts";
import { colorsFor } from "../view/colors.ts";
import { eventLine } from "../view/event-line.ts";
import type { JobViewer } from "../view/job-view.ts";
import { plain } from "../view/text.ts";
import { treeLines } from "../view/tree-lines.ts";
import { Answering } from "./answering.ts";
import type { Progress, ProgressOptions } from "./progress.ts";
import { Screen } from "./screen.ts";

const PICTURES_A_SECOND = 10;

/** Starts the live view on stderr. */
export function liveProgress(
  context: Context,
  viewer: JobViewer,
  { answer, answering: means }: Pick<ProgressOptions, "answer" | "answering">,
): Progress {
  const { stderr } = context;
  const screen = new Screen(stderr);
  const colors = colorsFor(context, stderr);
  const output = new Map<string, string>();
  let above: string[] = [];
  let news = true;
  let drawnAt = 0;
  let typed = "";
  const answering = means && new Answering(means, stderr, (line) => above.push(line));

  const draw = (): void => {
    answering?.beforePicture();
    const now = context.now();
    const typing = answering?.lines(80).join("\n") ?? "";
    if (!news && typing === typed && now.getTime() - drawnAt < 1000) return;
    const [width, rows] = [Math.max(1, stderr.columns() - 1), Math.max(2, stderr.rows() - 1)];
    const view = viewer.empty ? undefined : viewer.view();
    if (news) answering?.take(view?.questions ?? []);
    const below = answering?.lines(width) ?? [];
    const tree =
      view && treeLines(view, { width, rows: Math.max(2, rows - below.length), now, colors, output });
    // What is higher than the terminal would scroll, and leave a line of each picture behind.
    screen.draw([...(tree ?? []), ...below].slice(-rows), above);
    typed = typing;
    [above, news, drawnAt] = [[], false, now.getTime()];
  };
  const timer = setInterval(draw, 1000 / PICTURES_A_SECOND);

  return {
    entry: (entry) => {
      news = true;
      if (entry.kind === "turn") output.delete(entry.body.thread);
      if (entry.kind === "fire" && entry.body.rule === "human-reply")
        answering?.replied(entry.body.at["e"] ?? "");
      const line = eventLine(entry, viewer.read, answer);
      if (line?.loud === true) above.push(...line.text.split("\n"));
    },
    event: (thread, event) => {
      if (event.kind === "started" || plain(event.text) === "") return;
      output.set(thread, event.text);
      news = true;
    },
    say: (line) => {
      above.push(line);
      news = true;
    },
    end: () => {
      clearInterval(timer);
      answering?.end();
      news = true;
      draw();
      screen.end();
    },
  };
}
