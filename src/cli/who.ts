/** Who a person's acts are recorded for. */
import { userInfo } from "node:os";

/** The user's name, or their number where it has none. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch (error) {
    // A user id without an entry in the user database, as in many containers.
    if (error instanceof Error && "code" in error) return `uid ${process.getuid?.() ?? "unknown"}`;
    throw error;
  }
}
