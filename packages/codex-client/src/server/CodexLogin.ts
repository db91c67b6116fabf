/**
 * Detects a missing login before a turn. Codex itself reports it after 13 seconds of retries.
 *
 * @see Codex 0.169 app-server: measured. `account/read` returns the state at Codex's start, but turns use a later login. Only
 *   OpenAI's models require a login, unless the configuration points to another server
 */
import { access } from "node:fs/promises"
import { join } from "node:path"
import type { AgentCommand } from "@zain/agent-server/AgentCommand"
import type { TurnResult } from "@zain/agent-server/ServedAgent"
import * as Effect from "effect/Effect"
import * as CodexHome from "../native/CodexHome.ts"
import type { CodexServer } from "./CodexServer.ts"
import type { CodexSettings } from "./CodexSettings.ts"

/** Whether turns of the thread certainly require a login, and there is certainly none. */
export const isMissing = (
  server: Pick<CodexServer, "request">,
  { needsLogin }: CodexSettings,
  { env }: Pick<AgentCommand, "env">,
): Effect.Effect<boolean> => {
  if (!needsLogin || env["OPENAI_BASE_URL"] !== undefined) return Effect.succeed(false)
  return Effect.gen(function* () {
    const { account, requiresOpenaiAuth } = yield* server.request("account/read", {})
    return account === null && requiresOpenaiAuth === true && (yield* Effect.promise(() => isAbsent(CodexHome.of(env))))
  }).pipe(Effect.orElseSucceed(() => false))
}

/** The result of a turn without the required login. */
export const missing: TurnResult = {
  content: 'Codex is not logged in. Run "codex login", and ask again.',
  isError: true,
}

const isAbsent = (home: string) =>
  access(join(home, "auth.json")).then(
    () => false,
    ({ code }: NodeJS.ErrnoException) => code === "ENOENT",
  )
