/**
 * Where a thread is asked to work.
 */
import { stat } from "node:fs/promises"
import { resolve } from "node:path"
import { clip } from "@zain/tool-server/Clip"
import * as Effect from "effect/Effect"
import { AgentError } from "./AgentError.ts"

/** How much of a path a refusal says, in characters. */
const shown = 300

/**
 * The directory as an absolute path. Fails with `agent-refused` where there is none: a thread could never work there.
 *
 * @param cwd as the client gave it; a relative one starts from this process's own
 */
export const find = (cwd: string): Effect.Effect<string, AgentError> =>
  Effect.flatMap(
    Effect.promise(() => isDirectory(cwd)),
    (isThere) =>
      isThere
        ? Effect.succeed(resolve(cwd))
        : Effect.fail(
            new AgentError({
              reason: "agent-refused",
              message: `There is no directory ${clip(cwd, shown)} to work in.`,
            }),
          ),
  )

const isDirectory = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
