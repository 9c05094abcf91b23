/** Whether the git of this machine can do what jobs need. */
import { type Git, GitFailure, text } from "./git.ts";

/** First version with `git merge-tree --write-tree`. */
const NEEDED = [2, 38] as const;

/** Why no job can run with this git: one sentence that says what is there and what is needed; undefined when one can. */
export async function whyGitWillNotDo(git: Git): Promise<string | undefined> {
  const needed = `cfa needs git ${NEEDED.join(".")} or later`;
  try {
    const said = text(await git.run(["version"])).trim();
    const [, major = "0", minor = "0"] = /(\d+)\.(\d+)/.exec(said) ?? [];
    const isEnough = Number(major) > NEEDED[0] || (Number(major) === NEEDED[0] && Number(minor) >= NEEDED[1]);
    return isEnough ? undefined : `${needed}, and the one on the PATH is "${said}": install a newer one.`;
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    return `${needed}, and the PATH leads to none that can be run: install it.`;
  }
}
