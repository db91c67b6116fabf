/**
 * `loopsmith improve`: the loop over a file. The best document and a report are written also after a failure or a signal.
 */
import type { Environment } from "@zain/command/OptionTable"
import * as Secrets from "@zain/command/Secrets"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as ImprovementLoop from "../ImprovementLoop.ts"
import type { LoopResult } from "../LoopEvent.ts"
import * as LoopProgress from "../LoopProgress.ts"
import type { CommandError } from "./CommandError.ts"
import * as DocumentFile from "./DocumentFile.ts"
import * as Ending from "./Ending.ts"
import * as Log from "./Log.ts"
import * as LoopAgents from "./LoopAgents.ts"
import type { Improve } from "./LoopCommandLine.ts"
import * as Masked from "./Masked.ts"
import * as OutputFiles from "./OutputFiles.ts"
import * as Screen from "./Screen.ts"

/** Runs the command with the agents on this machine. */
export const run = (line: Improve, env: Environment) =>
  line.json
    ? toItsEnd(Screen.json(process.stdout, process.stderr), line.target, (screen) =>
        work(line, env, Effect.succeed(screen)),
      )
    : work(line, env, screenFor(line))

/** With `--json`, the line `Ended` is printed also if no loop began. */
const toItsEnd = <A, E extends Error, R>(
  screen: Screen.Screen,
  target: number,
  use: (screen: Screen.Screen) => Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    let isTold = false
    const end: Screen.Screen["end"] = (summary) => {
      isTold = true
      return screen.end(summary)
    }
    return Effect.onExit(use({ ...screen, end }), (exit) =>
      Exit.isSuccess(exit) || isTold ? Effect.void : Effect.ignore(screen.end(Ending.beforeAny(exit.cause, target))),
    )
  })

const work = Effect.fnUntraced(function* <R>(
  line: Improve,
  env: Environment,
  open: Effect.Effect<Screen.Screen, never, R>,
) {
  const job = yield* prepare(line)
  const mask = Secrets.masking(env)
  const agents = Layer.merge(
    yield* LoopAgents.evaluator(line.judge, env, mask),
    yield* LoopAgents.writer(line.writer, env, mask),
  )
  const screen = yield* open
  const log = Log.layer({ level: line.logLevel, mask, write: screen.print })
  return yield* improve(line, job, screen, mask).pipe(Effect.provide(agents), Effect.provide(log))
})

/** Reads the document and plans the outputs. */
export const prepare = Effect.fnUntraced(function* (line: Improve): Effect.fn.Return<Ending.Job, CommandError> {
  const document = yield* DocumentFile.read(line.file)
  return { document, outputs: yield* OutputFiles.plan(line, document) }
})

const screenFor = Effect.fnUntraced(function* ({ judge, maxIterations, quiet, writer }: Improve) {
  const { stderr } = process
  if (quiet) return Screen.quiet(stderr)
  const about = { judge: yield* LoopAgents.titleOf(judge), writer: yield* LoopAgents.titleOf(writer), maxIterations }
  return Screen.lines(about, stderr, Screen.isColored(stderr))
})

/**
 * Runs the loop with the evaluator and the writer of the context.
 *
 * @param screen shows the events and the summary
 * @param mask masks secrets in errors, and in suggestions that are shown
 * @returns the exit code
 */
export const improve = Effect.fnUntraced(function* (
  line: Improve,
  job: Ending.Job,
  screen: Screen.Screen,
  mask: Secrets.Mask,
) {
  const startedAt = yield* Clock.currentTimeMillis
  const { maxIterations, rubric, target } = line
  const { content } = job.document
  let progress = LoopProgress.begin(content)
  let finished: LoopResult | undefined
  const loop = ImprovementLoop.improve({ content, rubric, target, maxIterations }).pipe(
    Stream.runForEach((event) =>
      Effect.suspend(() => {
        progress = LoopProgress.advance(progress, event)
        if (event._tag === "Finished") finished = event.result
        return screen.tell(Masked.event(event, mask))
      }),
    ),
  )
  // After a first signal the outputs are still written. A second signal exits immediately.
  return yield* Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.exit(restore(loop)), (exit) => {
      const ending = Ending.of(exit, finished, mask)
      const reached = finished ?? LoopProgress.result(progress, ending.stop)
      const result = reached && Masked.result(reached, mask)
      return Ending.conclude(line, job, screen, { ...ending, result, startedAt })
    }),
  )
})
