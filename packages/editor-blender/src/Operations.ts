/**
 * The operations that change the scene, each as an Effect of a payload: the types of the schema that implement
 * `OperationResult`. A failure is a payload too.
 */

import type { Sample } from "@zain/editor-link/domain/Sample"
import * as ToolNames from "@zain/editor-link/domain/ToolNames"
import { isRecord } from "@zain/process/JsonRpc"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Bridge from "./Bridge.ts"
import * as ErrorCodes from "./ErrorCodes.ts"
import type { ExecutionStats } from "./ExecutionStats.ts"
import * as NaturalCommand from "./NaturalCommand.ts"
import * as OperationOptions from "./OperationOptions.ts"
import * as StepReader from "./StepReader.ts"
import type * as Steps from "./Steps.ts"

/** What the operations use. */
export interface Services {
  readonly bridge: Bridge.Bridge
  readonly stats: ExecutionStats
  /** Requests an answer of the client's model; absent without `sampling`. */
  readonly sample?: Sample | undefined
  /** Tells the client how far an operation is; absent where no client listens. */
  readonly progress?: ((message: string) => void) | undefined
  /** Writes a line of the log. */
  readonly log: (event: string, detail: string) => void
}

/** What the schema of GraphQL or of the tool has judged: the arguments, with those of `ExecutionOptionsInput` as `options`. */
// biome-ignore lint/suspicious/noExplicitAny: the types of arguments stand in schema.graphql
export type Input = any

/** @param hasPreview whether pictures are rendered before and after */
type Operation = (services: Services, input: Input, hasPreview: boolean) => Effect.Effect<Payload>

/** A type of the schema that implements `OperationResult`, with what is its own. */
export interface Payload extends Bridge.Params {
  readonly success: boolean
  readonly message: string
  readonly error: ErrorCodes.OperationError | null
  readonly executionTimeMs: number
}

/** The payload of an operation. With `failure` it has failed. */
interface Outcome {
  readonly message: string
  readonly fields: Bridge.Params
  readonly failure?: Bridge.BridgeFailure
}

/** Measures an operation, counts it, and makes its failure a value. */
const operation = ({ stats }: Services, work: Effect.Effect<Outcome, Bridge.BridgeFailure>): Effect.Effect<Payload> =>
  Effect.gen(function* () {
    const begun = yield* Clock.currentTimeNanos
    const { failure, fields, message } = yield* work.pipe(
      Effect.catchDefect((defect) => Effect.fail(Bridge.unexpected(defect))),
      Effect.catch((failed) => Effect.succeed<Outcome>({ message: failed.message, fields: {}, failure: failed })),
    )
    const executionTimeMs = Number((yield* Clock.currentTimeNanos) - begun) / 1e6
    stats.mutation(executionTimeMs, failure !== undefined)
    const error = failure === undefined ? null : ErrorCodes.make(failure)
    return { ...fields, success: error === null, message: error?.message ?? message, error, executionTimeMs }
  })

const plural = (count: number, word: string) => `${count} ${word}${count === 1 ? "" : "s"}`

interface Planned {
  readonly steps: ReadonlyArray<Steps.Step>
  readonly template?: string
}

/** Makes steps, and carries them out. Their failure comes with the steps. */
const stepped = (
  services: Services,
  plan: Effect.Effect<Planned, Bridge.BridgeFailure>,
  options: OperationOptions.Options | null | undefined,
  hasPreview: boolean,
): Effect.Effect<Payload> =>
  operation(
    services,
    Effect.gen(function* () {
      const params = yield* OperationOptions.paramsOf(options, hasPreview)
      const { steps, template = null } = yield* plan
      const applied = Bridge.ask(services.bridge, "steps.apply", { steps, ...params })
      const undone = options?.dryRun === true ? " They were undone: dryRun is true." : ""
      return yield* Effect.match(applied, {
        onFailure: (failure) => ({ message: failure.message, fields: { steps, template }, failure }),
        onSuccess: ({ changes, outcomes, preview }) => ({
          message: `${plural(steps.length, "step")} carried out.${undone}`,
          fields: { steps, template, outcomes, changes, preview },
        }),
      })
    }),
  )

/** A request whose failures name an argument as the operation does, in place of the bridge's parameter. */
const renamed = (asked: Effect.Effect<Bridge.Params, Bridge.BridgeFailure>, parameter: string, argument: string) =>
  Effect.mapError(asked, (failure) => {
    const [first, ...rest] = failure.path ?? []
    return first === parameter ? { ...failure, path: [argument, ...rest] } : failure
  })

/** The names of the selected objects. */
const selected = (services: Services): Effect.Effect<ReadonlyArray<string>, Bridge.BridgeFailure> =>
  Effect.flatMap(Bridge.ask(services.bridge, "scene.read", { fields: ["selected"] }), (scene) => {
    const names = scene["selected"]
    return Array.isArray(names) ? Effect.succeed(names.map(String)) : Effect.fail(Bridge.malformed("scene.read"))
  })

const executeNatural: Operation = (services, { command, hasContext = false, options }, hasPreview) => {
  const text = {
    text: command,
    argument: "command",
    language: options?.language ?? undefined,
    selection: selected(services),
    hasContext,
    timeoutMs: options?.timeoutMs ?? undefined,
  } as const
  return stepped(services, NaturalCommand.plan(text, services.sample), options, hasPreview)
}

/** Feedback in words on one object. */
const iterate: Operation = (services, { feedback, modelId, renderOptions }, hasPreview) => {
  const text = { text: feedback, argument: "feedback", selection: Effect.succeed([modelId]), hasContext: true } as const
  return stepped(services, NaturalCommand.plan(text, services.sample), { preview: renderOptions }, hasPreview)
}

/** Its `steps` are a `Result`: those that fit their schema, or what is wrong with them. */
const apply: Operation = (services, { options, steps }, hasPreview) => {
  const plan = Effect.map(
    Effect.fromResult(steps as Result.Result<ReadonlyArray<Steps.Step>, Bridge.BridgeFailure>),
    (read) => ({ steps: read }),
  )
  return stepped(services, plan, options, hasPreview)
}

/** The same of steps that `judgeSteps` has judged. The result does not repeat them: the client has just written them. */
const applyJudged: Operation = (services, { options, steps }, hasPreview) =>
  Effect.map(
    apply(services, { options, steps: Result.succeed(steps) }, hasPreview),
    ({ steps, template, ...payload }) => payload,
  )

/** The longest metadata that the log keeps, in code units. */
const maxMetadataLength = 4_096

const executeRaw: Operation = (services, { metadata, options, pythonCode }, hasPreview) =>
  operation(
    services,
    Effect.gen(function* () {
      const bytes = Buffer.byteLength(pythonCode)
      if (bytes > OperationOptions.maxCodeBytes) {
        const message = `\`pythonCode\` has ${bytes} bytes: ${OperationOptions.maxCodeBytes} is the limit.`
        return yield* OperationOptions.refuse(message, "pythonCode")
      }
      const params = yield* OperationOptions.paramsOf(options, hasPreview)
      if (metadata != null) services.log("executeRaw metadata", JSON.stringify(metadata).slice(0, maxMetadataLength))
      const ran = Bridge.ask(services.bridge, "code.run", { code: pythonCode, ...params })
      const { changes, output, preview, value } = yield* renamed(ran, "code", "pythonCode")
      const message = options?.dryRun === true ? "The code ran, and was undone: dryRun is true." : "The code ran."
      return { message, fields: { output, value, changes, preview } }
    }),
  )

const capturePreview: Operation = (services, { options, ...params }) =>
  operation(
    services,
    Effect.gen(function* () {
      const image = yield* Bridge.ask(services.bridge, "preview.render", yield* OperationOptions.pictureOf(params))
      return { message: `A picture of ${image["width"]} × ${image["height"]} pixels.`, fields: { image } }
    }),
  )

const stepInHistory =
  (method: "undo" | "redo"): Operation =>
  (services) =>
    operation(
      services,
      Effect.flatMap(Bridge.ask(services.bridge, method, {}), ({ changes, done }) =>
        done === true
          ? Effect.succeed({ message: `Blender did the ${method}.`, fields: { changes } })
          : Effect.fail({
              code: "OPERATION_FAILED",
              message: `There is nothing to ${method}.`,
              suggestions: ["Read the scene: its history has no further step in this direction."],
            }),
      ),
    )

/** `file.save`, also of the present file, or `file.open`. */
const withFile =
  (method: "file.save" | "file.open"): Operation =>
  (services, { discard, file: path, overwrite }) =>
    operation(
      services,
      Effect.map(
        renamed(
          Bridge.ask(services.bridge, method, OperationOptions.given({ path, discard, overwrite })),
          "path",
          "file",
        ),
        ({ discarded, file }) => ({
          message: [
            method === "file.save" ? `Saved ${file}.` : `Opened ${file}.`,
            ...(discarded === undefined ? [] : [`The unsaved scene before it is in ${discarded}.`]),
          ].join(" "),
          fields: { file, ...(discarded === undefined ? {} : { discarded }) },
        }),
      ),
    )

/** How often the progress of a render is read. */
const progressInterval = Duration.seconds(1)

/** Reports the progress of the request that runs, for as long as it is not interrupted. */
const reporting = ({ bridge, progress }: Services): Effect.Effect<never, Bridge.BridgeFailure> => {
  if (progress === undefined) return Effect.never
  const report = Effect.map(Bridge.ask(bridge, "health", {}), ({ running }) => {
    const { done, total } = isRecord(running) ? running : {}
    if (typeof done === "number") progress(`${done} of ${total} frames rendered`)
  })
  return Effect.forever(Effect.delay(Effect.ignore(report), progressInterval))
}

/** An operation on files beside the scene's own. */
const withFiles =
  (method: "file.import" | "file.export" | "file.append" | "render.frames", did: string): Operation =>
  (services, { file: path, options, ...params }) =>
    operation(
      services,
      Effect.gen(function* () {
        const usual = method === "render.frames" ? OperationOptions.usualRenderTimeout : undefined
        const timeoutMs = params.timeoutMs ?? options?.timeoutMs ?? usual
        const asked = OperationOptions.given({ path, ...params, timeoutMs })
        const answer = renamed(Bridge.ask(services.bridge, method, asked), "path", "file")
        const { changes, files, missing, names } = yield* method === "render.frames"
          ? Effect.raceFirst(answer, reporting(services))
          : answer
        const [first, ...more] = Array.isArray(files) ? files : []
        const left = Array.isArray(missing) ? missing.length : 0
        const message = [
          `${did} ${first}${more.length === 0 ? "" : ` and ${plural(more.length, "other file")}`}.`,
          ...(left === 0 ? [] : [`Left out ${plural(left, "reference")} to files elsewhere.`]),
        ].join(" ")
        return { message, fields: OperationOptions.given({ files, missing, names, changes }) }
      }),
    )

/** The operations by the names of their fields in GraphQL. */
export const operations = {
  executeNatural,
  executeRaw,
  iterate,
  apply,
  applyJudged,
  capturePreview,
  undo: stepInHistory("undo"),
  redo: stepInHistory("redo"),
  save: withFile("file.save"),
  open: withFile("file.open"),
  import: withFiles("file.import", "Imported"),
  export: withFiles("file.export", "Wrote"),
  append: withFiles("file.append", "Read"),
  render: withFiles("render.frames", "Rendered"),
}

export type Name = keyof typeof operations

/** Fails as a tool does whose arguments are wrong. */
export const judgeSteps = (tool: string, steps: unknown) =>
  Effect.mapError(Effect.fromResult(StepReader.read(steps)), (failure) =>
    ToolNames.wrongArguments(tool, StepReader.sentence(failure)),
  )
