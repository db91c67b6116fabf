/**
 * A Claude Code that can do nothing but answer.
 */
import * as AnswerOnly from "@zain/sdk-client/AnswerOnly"
import * as Effect from "effect/Effect"
import * as Adapter from "./ClaudeCodeMcpClientAdapter.ts"
import * as ClaudeCodeTransportFactory from "./ClaudeCodeTransportFactory.ts"

/**
 * No tool, and no file: Claude Code puts what a prompt mentions as `@path` into the prompt by itself, and only a rule for
 * all paths keeps it from that.
 */
const nothing = ["*", "Read(//**)"]

/** A client, and the configuration of sessions without tools and files. */
export const open = Effect.fnUntraced(function* (given: AnswerOnly.AnswerOnlyOptions) {
  const { cwd, model } = given
  const options = {
    cwd,
    permissionMode: "dontAsk",
    disallowedTools: nothing,
    ...(model === undefined ? {} : { model }),
  } as const
  const config = ClaudeCodeTransportFactory.local({ ...AnswerOnly.local(given), options })
  return { client: yield* Adapter.make(), config } satisfies AnswerOnly.AnswerOnly
})
