/**
 * LoopSmith as an MCP server: a client writes, this judges.
 *
 * @see seed, basic flow
 */
import * as ClientAttachment from "@zain/tool-server/ClientAttachment"
import * as ToolServer from "@zain/tool-server/ToolServer"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { defaultTarget } from "../Evaluation.ts"
import { type Evaluator, settled } from "../Evaluator.ts"
import * as LoopState from "../LoopState.ts"
import * as DocumentRoom from "./DocumentRoom.ts"
import * as EvaluationCall from "./EvaluationCall.ts"
import * as Guidance from "./Guidance.ts"
import * as Iterations from "./Iterations.ts"
import * as Tools from "./Tools.ts"

/**
 * - `evaluator`: who judges
 * - `version`: what `initialize` tells about this server
 * - `targetScore`: what a document needs to pass unless a call says otherwise. 8
 * - `maxIterations`: how often clients are told to evaluate a document at most. 5
 * - `heartbeat`: the longest silence of a call towards a client that wants to hear of its progress. 10 seconds
 */
export interface Options {
  readonly evaluator: Evaluator["Service"]
  readonly version: string
  readonly targetScore?: number
  readonly maxIterations?: number
  readonly heartbeat?: Duration.Input
}

/** How many calls a client may have under way; one more is refused. */
const maxCalls = 8

/** How many of them are judged at once; the others wait. */
const judgedAtOnce = 2

/** A server of LoopSmith, for any number of clients at once. */
export const make = ({ version, ...options }: Options): ToolServer.ToolServer => {
  const evaluator = settled(options.evaluator)
  const { maxIterations = 5, targetScore = defaultTarget } = options
  const silence = Duration.fromInputUnsafe(options.heartbeat ?? "10 seconds")
  const goal = { targetScore, maxIterations }
  const tools = Tools.make(goal)
  const room = DocumentRoom.make()
  let clients = 0
  return ToolServer.make({
    name: "loopsmith",
    title: "LoopSmith",
    version,
    instructions: Guidance.instructions(goal),
    tools: tools.list,
    maxCalls,
    // The documents are bounded by their room, whose refusal says more.
    maxArgumentBytes: Number.POSITIVE_INFINITY,
    client: () =>
      Effect.sync(() => {
        // For the log, where calls of several clients stand side by side.
        const client = ++clients
        const attachment = ClientAttachment.make(connection)
        const iterations = Iterations.make(maxIterations)
        const share = Semaphore.makeUnsafe(judgedAtOnce)
        return {
          call: (params, { extra }) =>
            EvaluationCall.make(tools, params, { evaluator, extra, iterations, attachment, share, room, silence }).pipe(
              Effect.annotateLogs({ client }),
            ),
          isBusy: attachment.isBusy,
          leave: attachment.leave,
        }
      }),
  })
}

/**
 * A client that is there: the machine of its connection, up to where calls begin. Each call goes on with one of its own,
 * because a client may have many at once.
 */
const connection = Effect.gen(function* () {
  const happened = yield* LoopState.track(EvaluationCall.logState)
  yield* happened("connected")
  yield* happened("initialized")
  yield* Effect.addFinalizer(() => Effect.logDebug("a client is away"))
})
