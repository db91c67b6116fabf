import { InMemoryMcpClient } from "@zain/core"
import type { McpApprovalRequest } from "@zain/core/McpApproval"
import { ConnectionUnavailable } from "@zain/core/McpError"
import * as Effect from "effect/Effect"
import * as ContractScript from "../src/ContractScript.ts"
import type { ContractSubject } from "../src/ContractSubject.ts"
import * as PeerObservation from "../src/PeerObservation.ts"
import { run } from "../src/VitestRunner.ts"

const nowhere = "stdio:nowhere"

const exited = (delivery: "not-sent" | "unknown") =>
  new ConnectionUnavailable({ reason: "server-exited", message: "The agent has exited, as it was told to.", delivery })

type Reply = ReturnType<NonNullable<InMemoryMcpClient.Options["reply"]>>

const reply =
  (record: PeerObservation.PeerRecord): NonNullable<InMemoryMcpClient.Options["reply"]> =>
  ({ approve, content, earlier, emit }) =>
    Effect.suspend((): Reply => {
      if (earlier.some((prompt) => ContractScript.decide([prompt])._tag === "Exit"))
        return Effect.fail(exited("not-sent"))
      record.saw({ what: "received", prompt: content })
      const action = ContractScript.decide([...earlier, content])
      switch (action._tag) {
        case "Fail":
          return Effect.succeed({ content: action.reason, isError: true })
        case "Hang": {
          const release = record.holds(content)
          return Effect.never.pipe(
            Effect.onInterrupt(() => Effect.sync(() => record.saw({ what: "cancelled", prompt: content }))),
            Effect.ensuring(Effect.sync(release)),
          )
        }
        case "Exit":
          return Effect.fail(exited("unknown"))
        case "Events":
          for (const text of action.pieces) emit({ _tag: "TextDelta", text })
          return Effect.succeed(action.text)
        case "Approve":
        case "Change":
          return Effect.map(approve(action._tag === "Approve" ? running : changing(action.text)), (decision) => {
            const isError = decision._tag === "Decline"
            emit({ _tag: "ToolStarted", toolId: "1", name: "run", title: "Runs" })
            emit({ _tag: "ToolFinished", toolId: "1", name: "run", isError })
            return ContractScript.decided(!isError, isError ? decision.reason : "")
          })
        default:
          emit({ _tag: "Usage", ...usage })
          return Effect.succeed({ content: action.text, usage })
      }
    })

const running: McpApprovalRequest = { kind: "command", message: "May it run?", command: "run" }
const changing = (text: string): McpApprovalRequest => ({
  kind: "file-change",
  message: "May it write?",
  paths: ["changed.txt"],
  changes: [{ path: "changed.txt", kind: "update", diff: `@@ -1,0 +1,1 @@\n+${text}\n` }],
})

const usage = { inputTokens: 1, outputTokens: 1 }

const record = PeerObservation.make()

const subject: ContractSubject = {
  name: "in memory",
  provider: "in-memory",
  make: InMemoryMcpClient.make({
    reply: reply(record),
    connect: ({ serverUrl }) =>
      serverUrl === nowhere
        ? Effect.fail(
            new ConnectionUnavailable({
              reason: "unreachable",
              message: "No agent answers at stdio:nowhere. Use another configuration.",
              delivery: "not-sent",
            }),
          )
        : Effect.void,
  }),
  config: InMemoryMcpClient.config,
  unreachable: { serverUrl: nowhere, transport: "stdio" },
  peer: record.observation,
  cannot: {
    "silent-server": "an agent that is a function has no handshake",
    "provider-options": "an agent that is a function has no options",
    resume: "an agent that is a function forgets its sessions",
    elsewhere: "an agent that is a function forgets its sessions",
  },
}

run(subject)
