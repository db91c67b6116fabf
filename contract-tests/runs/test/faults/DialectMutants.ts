/** Clients that are broken in what they say to a server's questions, and in what they believe of its events. */
import { McpApproval } from "@zain/core"
import type { McpClientAdapter } from "@zain/core/McpClientAdapter"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Mutant } from "./Mutants.ts"

const approveAll: McpApproval.McpApprovalPolicy = () => Effect.succeed(McpApproval.approve)

const unbroken = (adapter: McpClientAdapter) => adapter

/** Takes whatever a server tells for what the client alone may tell. */
const believing = (adapter: McpClientAdapter): McpClientAdapter => ({
  ...adapter,
  events: (id) =>
    Stream.map(adapter.events(id), (event) =>
      JSON.stringify(event).includes("TurnCompleted") ? { ...event, _tag: "TurnCompleted", isError: false } : event,
    ),
})

export const dialectMutants: ReadonlyArray<Mutant> = [
  {
    name: "approves a flood of questions",
    transport: "stdio",
    caughtBy: "approval-flood",
    says: /approved what nobody decided/,
    adapter: unbroken,
    policy: approveAll,
  },
  {
    name: "approves questions of no shape",
    transport: "sse",
    caughtBy: "approval-garbage",
    says: /approved what nobody decided/,
    adapter: unbroken,
    policy: approveAll,
  },
  {
    name: "never decides",
    transport: "streamable-http",
    caughtBy: "approval-megabytes",
    says: /did not end within/,
    adapter: unbroken,
    policy: () => Effect.never,
  },
  {
    name: "keeps every event for a reader that is stuck",
    transport: "stdio",
    caughtBy: "event-megabytes-unread",
    says: /characters of events waited for a reader/,
    adapter: (adapter) => ({
      ...adapter,
      openSession: (config) => adapter.openSession({ ...config, maxEventBytes: 64 * 1024 * 1024 }),
    }),
  },
  {
    name: "believes a server that a turn is over",
    transport: "stdio",
    caughtBy: "event-garbage",
    says: /ended twice/,
    adapter: believing,
  },
]
