/**
 * Where a fake agent runs that speaks its own protocol, and not MCP: one JSON object a line, each way.
 */
import type { Conversations } from "./FakeConversations.ts"
import type { JsonObject } from "./FakeServer.ts"
import type { Sighting } from "./PeerObservation.ts"

/**
 * - `args`, `cwd`: of its process
 * - `send`: says something
 * - `saw`: notes what arrived, before anything is done about it
 * - `leave`: ends the process with a status, after these last words for people
 * - `crash`: ends it as it was told to, in the middle of a turn
 */
export interface FakeAgentPlace {
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  readonly conversations: Conversations
  readonly send: (message: JsonObject) => void
  readonly saw: (sighting: Sighting) => void
  readonly leave: (status: number, lastWords?: string) => void
  readonly crash: () => void
}

/** `receive` takes what it is told. `inputEnded`: nothing more will be said to it. */
export interface FakeAgent {
  readonly receive: (message: JsonObject) => void
  readonly inputEnded: () => void
}
