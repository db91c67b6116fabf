/** Cases about questions of the agent. */
import * as McpApproval from "@zain/core/McpApproval"
import * as Effect from "effect/Effect"
import * as ApprovalBench from "../ApprovalBench.ts"
import { casesOf } from "../ContractCase.ts"
import * as ContractScript from "../ContractScript.ts"
import * as Expect from "../Expect.ts"

const text = "Which colour?"
const words = "neither, but green"

/** Runs one turn in which the agent asks its question. */
const ask = Effect.fnUntraced(function* (policy: McpApproval.McpApprovalPolicy) {
  const bench = yield* ApprovalBench.under(policy)
  if (bench.client.supports.questions !== true) return undefined
  const session = yield* bench.open
  const { content } = bench.prompt({ _tag: "Ask", text })
  const answer = yield* bench.client.execute(session, { content })
  return { bench, session, answer }
})

export const questions = casesOf({
  "questions.answered": {
    title:
      "a question of the agent MUST reach the policy with its options, and the policy's answers MUST reach the agent",
    crossesWire: true,
    verifies: ["approval.questions"],
    needs: ["approvals"],
    *run() {
      for (const given of ["Blue", words]) {
        const asked: Array<McpApproval.McpApprovalRequest> = []
        const policy = McpApproval.make({
          ask: (request) => {
            asked.push(request)
            return { answers: Object.fromEntries((request.questions ?? []).map(({ id }) => [id, given])) }
          },
        })
        const turn = yield* ask(policy)
        if (turn === undefined) return
        yield* ApprovalBench.isTold(turn.answer, "approved")
        yield* Expect.that(
          turn.answer.content.includes(given),
          `The agent must have received the answer ${given}; its own is: ${turn.answer.content}`,
        )
        yield* Expect.equal(
          asked.map(({ kind }) => kind),
          ["question"],
          "The kinds of the requests that the policy received",
        )
        const [question, ...others] = asked[0]?.questions ?? []
        yield* Expect.equal(others.length, 0, "The number of further questions")
        yield* Expect.equal(question?.text, text, "The text of the question")
        yield* Expect.equal(
          question?.options.map(({ label }) => label),
          ContractScript.choices.map(({ label }) => label),
          "The labels of its options",
        )
      }
    },
  },
  "questions.dismissed": {
    title: "a question that the policy does not answer MUST be dismissed, and the turn MUST continue",
    crossesWire: true,
    verifies: ["approval.questions", "approval.deadline"],
    needs: ["approvals"],
    *run() {
      const policies: ReadonlyArray<McpApproval.McpApprovalPolicy> = [
        McpApproval.make({ rules: [{ answer: "approve" }] }),
        McpApproval.make({ ask: () => Effect.never, deadline: "50 millis" }),
        () => Effect.succeed(McpApproval.approveForSession),
        () => Effect.succeed({ _tag: "Answer", answers: { "no such question": ["Blue"] } }),
      ]
      for (const policy of policies) {
        const turn = yield* ask(policy)
        if (turn === undefined) return
        yield* ApprovalBench.isTold(turn.answer, "declined")
        const { content } = turn.bench.prompt({ _tag: "Say", text: "next" })
        const next = yield* turn.bench.client.execute(turn.session, { content })
        yield* Expect.equal(next.content, "next", "The next answer")
      }
    },
  },
})
