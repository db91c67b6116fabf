/**
 * Claude Code without tools and files.
 */
import * as AnswerOnly from "@zain/sdk-client/AnswerOnly"
import * as Effect from "effect/Effect"
import * as Adapter from "./ClaudeCodeMcpClientAdapter.ts"
import * as ClaudeCodeTransportFactory from "./ClaudeCodeTransportFactory.ts"

/** All tools and all paths. Claude Code inserts a file that a prompt names as `@path` unless a rule refuses its path. */
const nothing = ["*", "Read(//**)"]

/**
 * Makes a client and the configuration of sessions that can only answer: without tools, files and the user's
 * extensions.
 *
 * @param given the program, its environment, its empty working directory, its model, and the largest message to read
 *   from it
 */
export const open = Effect.fnUntraced(function* (given: AnswerOnly.AnswerOnlyOptions) {
  const { cwd, model } = given
  const options = {
    cwd,
    permissionMode: "dontAsk",
    background: "off",
    disallowedTools: nothing,
    ...(model === undefined ? {} : { model }),
  } as const
  const config = ClaudeCodeTransportFactory.local({ ...AnswerOnly.local(given), options })
  return {
    /** The client that opens the sessions; they close with the Scope in which `open` ran. */
    client: yield* Adapter.make(),
    /**
     * The configuration that restricts a session to answering: pass it to `client.openSession`. Sessions with another
     * configuration are not restricted.
     */
    config,
  } satisfies AnswerOnly.AnswerOnly
})
