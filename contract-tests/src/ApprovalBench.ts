/**
 * Clients with a policy that a case provides.
 */
import * as McpApproval from "@zain/core/McpApproval"
import type { McpSessionId } from "@zain/core/McpSessionId"
import * as Effect from "effect/Effect"
import { Bench } from "./ContractCase.ts"
import * as Expect from "./Expect.ts"

/** Makes a bench whose client reads this policy. */
export const under = Effect.fnUntraced(function* (policy: McpApproval.McpApprovalPolicy) {
  const bench = yield* Bench
  const client = yield* Effect.provideService(bench.subject.make, McpApproval.McpApproval, policy)
  yield* Expect.that(client.supports.approvals, "`supports.approvals` of the client must be true.")
  return { ...bench, client, open: client.openSession(bench.subject.config) }
})

type Deciding = typeof Bench.Service

/** Runs one turn in which the agent requests an approval. Its answer starts with the decision that it received. */
export const ask = ({ client, prompt }: Deciding, session: McpSessionId) =>
  client.execute(session, { content: prompt({ _tag: "Approve" }).content })

/** Demands that the agent received this decision, and that the turn continued. */
export const isTold = ({ content, isError }: { readonly content: string; readonly isError: boolean }, what: string) =>
  Effect.andThen(
    Expect.that(content.startsWith(what), `The agent must have received ${what}; its answer is: ${content}`),
    Expect.equal(isError, false, "isError"),
  )

/** Demands that the agent receives a decline, and that the session answers the next prompt. */
export const declines = Effect.fnUntraced(function* (bench: Deciding) {
  const session = yield* bench.open
  yield* isTold(yield* ask(bench, session), "declined")
  const { content } = bench.prompt({ _tag: "Say", text: "next" })
  yield* Expect.equal((yield* bench.client.execute(session, { content })).content, "next", "The next answer")
})
