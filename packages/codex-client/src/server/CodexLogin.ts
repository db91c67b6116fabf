/**
 * Whether a thread's turns wait for a login, which Codex itself says after 13 seconds of trying.
 *
 * @see Codex 0.169 app-server: measured. `account/read` says what was so when Codex started, and turns use a login that was
 *   made since. OpenAI's own models alone need one, unless something else stands where they are looked for
 */
import { access } from "node:fs/promises"
import { join } from "node:path"
import type { TurnResult } from "@zain/agent-server/Agent"
import type { AgentCommand } from "@zain/agent-server/AgentCommand"
import * as StateFiles from "@zain/process/StateFiles"
import * as Effect from "effect/Effect"
import type { CodexServer } from "./CodexServer.ts"
import type { CodexSettings } from "./CodexSettings.ts"

/** Where Codex keeps its login, its configuration and its threads. */
export const homeOf = (env: AgentCommand["env"]): string => env["CODEX_HOME"] ?? join(StateFiles.homeOf(env), ".codex")

/** Whether it is certain that there is no login, and that turns of the thread need one. */
export const isMissing = (
  server: Pick<CodexServer, "request">,
  { needsLogin }: CodexSettings,
  { env }: Pick<AgentCommand, "env">,
): Effect.Effect<boolean> => {
  if (!needsLogin || env["OPENAI_BASE_URL"] !== undefined) return Effect.succeed(false)
  return Effect.gen(function* () {
    const { account, requiresOpenaiAuth } = yield* server.request("account/read", {})
    return account === null && requiresOpenaiAuth === true && (yield* Effect.promise(() => isAbsent(homeOf(env))))
  }).pipe(Effect.orElseSucceed(() => false))
}

/** What a turn is answered with that waits for a login. */
export const missing: TurnResult = {
  content: 'Codex is not logged in. Run "codex login", and ask again.',
  isError: true,
}

const isAbsent = (home: string) =>
  access(join(home, "auth.json")).then(
    () => false,
    ({ code }: NodeJS.ErrnoException) => code === "ENOENT",
  )
