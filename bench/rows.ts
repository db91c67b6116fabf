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

export const rows: ReadonlyArray<Row> = [
  Starts.importCpu,
  Starts.importMemory,
  Starts.codexAnswer,
  Starts.codexAnswerCpu,
  Starts.claudeCodeAnswer,
  Starts.eightOfCodex,
  Starts.eightOfClaudeCode,
  Calls.sequentialStdio,
  Calls.manyStdio,
  Calls.waitingStdio,
  Calls.httpJson,
  Calls.httpSse,
  Sizes.large,
  Sizes.sizes,
  Events.many,
  Events.few,
  Sessions.openingStdio,
  Sessions.opening,
  Sessions.memory,
  Sessions.memoryWithStream,
  Sessions.memoryWhileBusy,
  Sessions.stdioGrowth,
  Sessions.httpGrowth,
  Sessions.fifty,
  LoopSmith.coldStart,
  LoopSmith.idleClients,
  LoopSmith.evaluation,
  EditorServer.calls,
  EditorServer.parallel,
  EditorServer.lengthPrefix,
  EditorServer.contentLength,
  EditorServer.unityStart,
  EditorServer.unityLoopStart,
  EditorServer.unityIdle,
  EditorServer.unityLoopIdle,
  Blender.queryMany,
  Blender.queryGrowth,
  Blender.creation,
  Blender.count,
]
