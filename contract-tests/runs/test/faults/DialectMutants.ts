/** Clients that are broken in what they say to a server's questions, and in what they believe of its events. */
import { McpApproval } from "@zain/core"
import { Effect, Stream } from "effect"
import { opening, reading } from "../../../test/mutants/Override.ts"
import { type Mutant, mutant } from "./Mutant.ts"

const approveAll: McpApproval.McpApprovalPolicy = () => Effect.succeed(McpApproval.approve)

/** Takes whatever a server tells for what the client alone may tell. */
const believing = reading((events, id) =>
  Stream.map(events(id), (event) =>
    JSON.stringify(event).includes("TurnCompleted") ? { ...event, _tag: "TurnCompleted", isError: false } : event,
  ),
)

export const dialectMutants: ReadonlyArray<Mutant> = [
  mutant("approves a flood of questions", ["stdio", "approval-flood"], /approved what no policy approved/, {
    policy: approveAll,
  }),
  mutant("approves questions of no shape", ["sse", "approval-garbage"], /approved what no policy approved/, {
    policy: approveAll,
  }),
  mutant("never decides", ["streamable-http", "approval-megabytes"], /did not end within/, {
    policy: () => Effect.never,
  }),
  mutant(
    "keeps every event for a reader that is stuck",
    ["stdio", "event-megabytes-unread"],
    /characters of events waited for a reader/,
    { adapter: opening((openSession, config) => openSession({ ...config, maxEventBytes: 64 * 1024 * 1024 })) },
  ),
  mutant("believes a server that a turn is over", ["stdio", "event-garbage"], /ended twice/, { adapter: believing }),
]
