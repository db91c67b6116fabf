/**
 * LoopSmith as an MCP server: a client writes a document, the server evaluates it.
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
import * as Iterations from "./Iterations.ts"
import * as Guidance from "./JudgeGuidance.ts"
import * as JudgeTools from "./JudgeTools.ts"

/** Options of the server. */
export interface Options {
  /** Evaluates the documents. */
  readonly evaluator: Evaluator["Service"]
  /** The version in `serverInfo` of `initialize`. */
  readonly version: string
  /** The score with which a document passes, unless a call has `target_score`. Default: 8. */
  readonly targetScore?: number
  /** The number of evaluations after which counting starts again; the instructions name it to models. Default: 5. */
  readonly maxIterations?: number
  /** The longest time between two progress notifications of a call with a progress token. Default: 10 seconds. */
  readonly heartbeat?: Duration.Input
}

/** The maximum number of calls under way for each client; one more is rejected. */
const maxCalls = 8

/** How many of them are evaluated at once; the others wait. */
const judgedAtOnce = 2

/** Makes the server, for any number of clients. */
export const make = ({ version, ...options }: Options): ToolServer.ToolServer => {
  const evaluator = settled(options.evaluator)
  const { maxIterations = 5, targetScore = defaultTarget } = options
  const silence = Duration.fromInputUnsafe(options.heartbeat ?? "10 seconds")
  const goal = { targetScore, maxIterations }
  const tools = JudgeTools.make(goal)
  const room = DocumentRoom.make()
  let clients = 0
  return ToolServer.make({
    name: "loopsmith",
    title: "LoopSmith",
    version,
    instructions: Guidance.instructions(goal),
    tools: tools.list,
    maxCalls,
    // `DocumentRoom` bounds documents, with an error that names the cause.
    maxArgumentBytes: Number.POSITIVE_INFINITY,
    client: () =>
      Effect.sync(() => {
        // Identifies the client in the log.
        const client = ++clients
        const attachment = ClientAttachment.make(connection)
        const iterations = Iterations.make(maxIterations)
        const share = Semaphore.makeUnsafe(judgedAtOnce)
        return {
          call: (params, { request: context }) =>
            EvaluationCall.make(tools, params, {
              evaluator,
              context,
              iterations,
              attachment,
              share,
              room,
              silence,
            }).pipe(Effect.annotateLogs({ client })),
          isBusy: attachment.isBusy,
          leave: attachment.leave,
        }
      }),
  })
}

/** The state machine of a connection, up to `Initialized`. Each call has its own, because calls of a client overlap. */
const connection = Effect.gen(function* () {
  const happened = yield* LoopState.track(EvaluationCall.logState)
  yield* happened("connected")
  yield* happened("initialized")
  yield* Effect.addFinalizer(() => Effect.logDebug("a client disconnected"))
})
