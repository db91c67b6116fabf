/**
 * A Codex that can do nothing but answer: none of its own tools, and nothing that its user has added to it. An MCP server
 * brings tools, and a document that names a skill, as `$name`, brings the skill's file into the prompt.
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
 * A client, and the configuration of sessions in which Codex can only answer. Its user may add something at any time: each
 * session opens with what there is to switch off then.
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
  return { client: { ...client, openSession }, config } satisfies AnswerOnly.AnswerOnly
})
