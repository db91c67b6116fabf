/** Faults in what a server asks and tells while its agent works, the same on every transport. */
import { answers, type Fault, on } from "./Fault.ts"

const fault = (id: string, title: string, promises: ReadonlyArray<number>): Fault => ({
  id,
  title,
  promises,
  strikes: "call",
  expected: on(answers),
})

/** Only where a server can speak when it was not asked. */
const unasked = (id: string, title: string, promises: ReadonlyArray<number>): Fault => ({
  ...fault(id, title, promises),
  expected: on(answers, "stdio", "sse"),
})

const approvals: ReadonlyArray<Fault> = [
  {
    ...fault("approval-flood", "asks for 400 approvals at once, and answers when all have been declined", [16, 23]),
    takes: 3_000,
  },
  fault("approval-garbage", "asks for approvals of no shape, and answers when none was given", [22, 23, 24]),
  fault("approval-proto-keys", "asks for an approval with __proto__ and constructor for keys", [23, 24]),
  fault("approval-megabytes", "asks for an approval in megabytes of text", [14, 23]),
  fault("approval-abandoned", "asks for an approval, and answers the call without waiting", [2, 23]),
  unasked("approval-after", "asks for an approval when no call is under way", [2, 23]),
]

const events: ReadonlyArray<Fault> = [
  fault("event-garbage", "tells events that are none, of any shape, and ends of turns", [2, 24]),
  fault("event-proto-keys", "tells an event with __proto__ and constructor for keys", [24]),
  fault("event-megabytes", "tells an event of 3 MiB", [14, 15]),
  {
    ...fault("event-megabytes-unread", "tells 16 events of 256 KiB, which a reader leaves unread", [14, 16]),
    limits: { maxEventBytes: 1024 * 1024 },
    unread: true,
  },
  fault("event-deep", "tells an event with 100,000 levels of nesting", [15, 24]),
  { ...fault("event-flood", "tells 4,000 events before its answer", [14, 15, 16]), takes: 3_000 },
  unasked("event-after", "tells events of a call that is over", [2, 24]),
]

/** Everything that is wrong with what is asked and told. */
export const dialectFaults: ReadonlyArray<Fault> = [...approvals, ...events]
