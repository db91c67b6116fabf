/** Clients with broken answers to a server's questions, or broken checks of its events. */
import { McpApproval } from "@zain/core"
import { Effect, Stream } from "effect"
import { opening, reading } from "../../../testing/mutants/Override.ts"
import { type Mutant, mutant } from "./Mutant.ts"

const approveAll: McpApproval.McpApprovalPolicy = () => Effect.succeed(McpApproval.approve)

/** Accepts events from the server that only the client may emit. */
const believing = reading((events, id) =>
  Stream.map(events(id), (event) =>
    JSON.stringify(event).includes("TurnCompleted") ? { ...event, _tag: "TurnCompleted", isError: false } : event,
  ),
)

export const dialectMutants: ReadonlyArray<Mutant> = [
  mutant("approves a flood of questions", ["stdio", "approval-flood"], /approved what no policy approved/, {
    policy: approveAll,
  }),
  mutant("approves malformed questions", ["sse", "approval-garbage"], /approved what no policy approved/, {
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
  mutant("accepts the end of a turn from the server", ["stdio", "event-garbage"], /ended twice/, {
    adapter: believing,
  }),
]
