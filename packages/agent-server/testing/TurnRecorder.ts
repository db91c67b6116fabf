/** A listener of a turn that records its events. */
import type { McpApprovalReply, McpApprovalRequest } from "@zain/core/McpApproval"
import type { McpEventContent } from "@zain/core/McpEvents"
import * as Effect from "effect/Effect"
import type { Question, TurnListener } from "../src/ServedAgent.ts"

/**
 * @param decide the decision on each request
 * @param callTool the answer of each tool of the client's own
 * @returns the listener, with `events`, `asked` and `questions` so far; `named`: number of events before `started`; `stages`:
 *   what `stage` received; `until`:
 *   succeeds when a condition holds; `heard`: succeeds with the first notification of that name; `spoke`: succeeds with the
 *   first text
 */
export const make = (
  decide: (request: McpApprovalRequest) => Effect.Effect<McpApprovalReply>,
  callTool: TurnListener["callTool"] = () => Effect.succeed({ text: "There is no tool.", isError: true }),
) => {
  const events: Array<McpEventContent> = []
  const asked: Array<McpApprovalRequest> = []
  const questions: Array<Question> = []
  const named: Array<number> = []
  const stages: Array<Parameters<TurnListener["stage"]>[0]> = []
  const waiting = new Set<() => void>()
  const wake = () => {
    for (const look of [...waiting]) look()
  }
  const listener: TurnListener = {
    stage: (stage) => void stages.push(stage),
    started: () => void named.push(events.length),
    steerable: () => {},
    room: () => undefined,
    event: (event) => {
      events.push(event)
      wake()
    },
    callTool,
    approve: (question) =>
      Effect.suspend(() => {
        const { request } = question
        questions.push(question)
        asked.push(request)
        wake()
        return decide(request)
      }),
  }
  const until = (isSo: () => boolean): Effect.Effect<void> =>
    Effect.callback((resume) => {
      const look = () => {
        if (!isSo()) return
        waiting.delete(look)
        // Not in the middle of what has woken it.
        resume(Effect.yieldNow)
      }
      waiting.add(look)
      look()
    })
  const heard = (method: string) => until(() => events.some((one) => one._tag === "Raw" && one.method === method))
  const spoke = until(() => events.some(({ _tag }) => _tag === "TextDelta"))
  return { ...listener, events, asked, named, stages, questions, until, heard, spoke }
}

/** Never decides a request. `isWithdrawn`: whether one was interrupted */
export const undecided = () => {
  let isWithdrawn = false
  const decide = () =>
    Effect.onInterrupt(Effect.never, () =>
      Effect.sync(() => {
        isWithdrawn = true
      }),
    )
  return { decide, isWithdrawn: () => isWithdrawn }
}
