/** Cases about the events of tools and tokens. */
import * as McpApproval from "@zain/core/McpApproval"
import type { McpSessionId } from "@zain/core/McpSessionId"
import * as TokenUsage from "@zain/core/TokenUsage"
import * as Effect from "effect/Effect"
import * as ApprovalBench from "../ApprovalBench.ts"
import { Bench, casesOf } from "../ContractCase.ts"
import * as EventRecording from "../EventRecording.ts"
import * as Expect from "../Expect.ts"

export const telling = casesOf({
  "events.tools": {
    title: "`ToolStarted` and `ToolFinished` MUST be emitted for a tool that the agent uses, before the result",
    verifies: ["event.tools", "rule-7.order"],
    needs: ["approvals", "tools"],
    *run() {
      const bench = yield* ApprovalBench.under(() => Effect.succeed(McpApproval.approve))
      const session = yield* bench.open
      const recording = yield* Effect.provideService(EventRecording.start(session), Bench, bench)
      yield* ApprovalBench.isTold(yield* ApprovalBench.ask(bench, session), "approved")
      yield* bench.client.closeSession(session)
      yield* recording.ended
      const uses = recording.events.filter(({ _tag }) => _tag === "ToolStarted" || _tag === "ToolFinished")
      yield* Expect.equal(
        uses.map(({ _tag }) => _tag),
        ["ToolStarted", "ToolFinished"],
        "The events of the tool",
      )
      const [started, finished] = uses
      if (started?._tag !== "ToolStarted" || finished?._tag !== "ToolFinished") return
      yield* Expect.equal(finished.toolId, started.toolId, "toolId")
      yield* Expect.equal(finished.name, started.name, "The name in ToolFinished")
      yield* Expect.equal(finished.isError, false, "isError")
      yield* Expect.that(started.name !== "" && started.title !== "", "A tool must have a name and a title.")
      yield* Expect.equal(recording.events.at(-1)?._tag, "TurnCompleted", "The last event")
    },
  },
  "events.usage": {
    title: "`Usage` MUST be emitted before the result, with the tokens of the response",
    verifies: ["event.usage", "rule-7.order"],
    needs: ["usage"],
    *run({ client, open, prompt }) {
      const session = yield* open
      const recording = yield* EventRecording.start(session)
      const { usage } = yield* client.execute(session, { content: prompt({ _tag: "Say", text: "hello" }).content })
      yield* client.closeSession(session)
      yield* recording.ended
      const own = recording.events.filter(({ turn }) => turn === recording.events.at(-1)?.turn)
      const last = own.findLast(({ _tag }) => _tag === "Usage")
      const counts = last?._tag === "Usage" ? TokenUsage.read(last) : undefined
      const { inputTokens, outputTokens } = counts ?? {}
      yield* Expect.that(last !== undefined, "Usage must be emitted, also where the tokens are in the response.")
      yield* Expect.that((inputTokens ?? 0) > 0 && (outputTokens ?? 0) > 0, "Usage must hold input and output tokens.")
      if (usage !== undefined) yield* Expect.equal({ ...usage }, { ...counts }, "usage")
    },
  },
  "reports.context": {
    title: "`context` MUST be how full the model's context is, if and only if `supports` has it",
    verifies: ["turn.reports"],
    *run({ client, open, prompt }) {
      const session = yield* open
      const { context } = yield* client.execute(session, { content: prompt({ _tag: "Say", text: "hello" }).content })
      yield* Expect.equal(context !== undefined, client.supports.context === true, "Whether the response has `context`")
      if (context === undefined) return
      yield* Expect.that(context.used > 0 && context.used <= context.size, "`used` must be between 0 and `size`.")
    },
  },
  "reports.cost": {
    title: "`cost` MUST be that of its turn alone, also after a resume, and be there if and only if `supports` has it",
    verifies: ["turn.reports"],
    *run({ client, open, prompt, subject }) {
      const ask = (session: McpSessionId) =>
        client.execute(session, { content: prompt({ _tag: "Say", text: "hello" }).content })
      const session = yield* open
      const [first, second] = [yield* ask(session), yield* ask(session)]
      yield* client.closeSession(session)
      const again = first.threadId === undefined ? undefined : subject.resume?.(first.threadId)
      const third = again === undefined ? second : yield* ask(yield* client.openSession(again))
      const costs = [first, second, third].map(({ cost }) => cost)
      yield* Expect.equal(
        costs.map((cost) => cost !== undefined),
        costs.map(() => client.supports.cost === true),
        "Whether the responses have `cost`",
      )
      const cents = costs.map((cost = 0) => cost.toFixed(6))
      yield* Expect.equal(new Set(cents).size, 1, `The number of different costs of equal turns, ${cents.join(", ")},`)
    },
  },
  "reports.stop-reason": {
    title: "`stopReason` MUST be `completed` for an answer, if and only if `supports` has it",
    verifies: ["turn.reports"],
    *run({ client, open, prompt }) {
      const session = yield* open
      const { stopReason } = yield* client.execute(session, { content: prompt({ _tag: "Say", text: "hello" }).content })
      yield* Expect.equal(stopReason, client.supports.stopReason ? "completed" : undefined, "stopReason")
    },
  },
})
