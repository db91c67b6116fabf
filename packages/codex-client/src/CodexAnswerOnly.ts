/**
 * Codex without tools: neither its own, nor MCP servers and skills of the user. A document that names a skill as `$name`
 * would add the skill's file to the prompt.
 *
 * @see Codex 0.169.0: with this it offers its model `request_user_input`, and to some models `apply_patch`, which its sandbox
 *   refuses; nothing else
 */
import * as HostGuard from "@zain/process/HostGuard"
import * as AnswerOnly from "@zain/sdk-client/AnswerOnly"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Adapter from "./CodexMcpClientAdapter.ts"
import * as CodexTransportFactory from "./CodexTransportFactory.ts"
import * as CodexNoTools from "./native/CodexNoTools.ts"

/**
 * Makes a client whose sessions can only answer, and their configuration. Each `openSession` lists the user's MCP servers and
 * skills again, because the user may add one at any time, and switches them off; when Codex does not list them, it fails with
 * `ConnectionUnavailable`.
 *
 * @param given the program, its environment, its empty working directory, its model, and the largest message to read
 *   from it
 */
export const open = Effect.fnUntraced(function* (given: AnswerOnly.AnswerOnlyOptions) {
  const { cwd, env: passed, host: env, model, program } = given
  const options = {
    cwd,
    sandbox: "read-only",
    approvalPolicy: "never",
    ...(model === undefined ? {} : { model }),
  } as const
  const client = yield* Adapter.make()
  const guarded = yield* Layer.build(HostGuard.layer)
  const openSession: typeof client.openSession = (config) =>
    CodexNoTools.config({ program, env, passed, cwd }).pipe(
      Effect.provideContext(guarded),
      Effect.flatMap((tools) => client.openSession({ ...config, providerOptions: { ...options, config: tools } })),
    )
  const config = CodexTransportFactory.local({ ...AnswerOnly.local(given), options })
  return {
    /** Client of the sessions without tools. They close with the Scope in which `open` ran. */
    client: { ...client, openSession } as typeof client,
    /** Configuration for `client.openSession`, with the given program, variables and directory. */
    config,
  } satisfies AnswerOnly.AnswerOnly
})
