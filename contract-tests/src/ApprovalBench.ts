/**
 * Clients under a policy of a case's own.
 */
import * as McpApproval from "@zain/core/McpApproval"
import type { McpSessionId } from "@zain/core/McpSessionId"
import * as Effect from "effect/Effect"
import { Bench } from "./ContractCase.ts"
import * as Expect from "./Expect.ts"

/** A bench whose client was made where this policy is provided. */
export const under = Effect.fnUntraced(function* (policy: McpApproval.McpApprovalPolicy) {
  const bench = yield* Bench
  const client = yield* Effect.provideService(bench.subject.make, McpApproval.McpApproval, policy)
  yield* Expect.that(
    client.supports.approvals,
    "A client whose agents cannot ask must be excused in cannot.approvals, with the reason.",
  )
  return { ...bench, client, open: client.openSession(bench.subject.config) }
})

/** A bench, under any policy. */
type Deciding = typeof Bench.Service

/** One turn in which the agent asks. What it answers begins with what it was told. */
export const ask = ({ client, prompt }: Deciding, session: McpSessionId) =>
  client.execute(session, { content: prompt({ _tag: "Approve" }).content })

/** Demands that the agent was told this, and went on. */
export const isTold = ({ content, isError }: { readonly content: string; readonly isError: boolean }, what: string) =>
  Effect.andThen(
    Expect.that(content.startsWith(what), `The agent must have been told: ${what}. It says: ${content}`),
    Expect.equal(isError, false, "isError"),
  )

/** Demands that the agent is declined, and that the session goes on. */
export const declines = Effect.fnUntraced(function* (bench: Deciding) {
  const session = yield* bench.open
  yield* isTold(yield* ask(bench, session), "declined")
  const { content } = bench.prompt({ _tag: "Say", text: "next" })
  yield* Expect.equal((yield* bench.client.execute(session, { content })).content, "next", "The next answer")
})
