/**
 * The rows of the table, in its order.
 */
import type { Row } from "./Row.ts"
import * as Blender from "./rows/Blender.ts"
import * as Calls from "./rows/Calls.ts"
import * as EditorServer from "./rows/EditorServer.ts"
import * as Events from "./rows/Events.ts"
import * as LoopSmith from "./rows/LoopSmith.ts"
import * as Sessions from "./rows/Sessions.ts"
import * as Sizes from "./rows/Sizes.ts"
import * as Starts from "./rows/Starts.ts"

/** What a user notices. */
export const noticed: ReadonlyArray<Row> = [
  Starts.importCpu,
  Starts.importMemory,
  Starts.neutralCpu,
  Starts.neutralMemory,
  Starts.codexAnswer,
  Starts.codexAnswerCpu,
  Starts.claudeCodeAnswer,
  Starts.eightOfCodex,
  Starts.eightOfClaudeCode,
  LoopSmith.coldStart,
  EditorServer.start,
]

/** The work of a call, of an event and of a session, beside the floor. */
export const work: ReadonlyArray<Row> = [
  Calls.sequentialStdio,
  Calls.httpJson,
  Calls.httpSse,
  Calls.manyStdio,
  Calls.manyHttp,
  Calls.waitingStdio,
  Calls.eightWaitingStdio,
  Calls.eightWaitingHttp,
  Events.many,
  Events.few,
  Sizes.largeStdio,
  Sizes.largeHttp,
  Sessions.openingStdio,
  Sessions.opening,
  Sessions.firstCall,
  Sessions.fiftyCalls,
]

const rest: ReadonlyArray<Row> = [
  Starts.besideTime,
  Starts.besideCpu,
  Sessions.memory,
  Sessions.fiftyEnds,
  Sessions.stdioGrowth,
  Sessions.httpGrowth,
  LoopSmith.idleClients,
  LoopSmith.evaluation,
  EditorServer.calls,
  EditorServer.parallel,
  EditorServer.frames,
  EditorServer.idle,
  Blender.queryMany,
  Blender.creation,
  Blender.count,
]

export const rows: ReadonlyArray<Row> = [...noticed, ...work, ...rest]
