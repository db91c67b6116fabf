/**
 * The operations that change the scene, each as an Effect of a payload: the types of the schema that implement
 * `OperationResult`. A failure is a payload too.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type { Sample } from "../domain/Sample.ts"
import * as ToolNames from "../domain/ToolNames.ts"
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
  /** Writes a line of the log. */
  readonly log: (event: string, detail: string) => void
}

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
  options: OperationOptions.Options,
  hasPreview: boolean,
): Effect.Effect<Payload> =>
  operation(
    services,
    Effect.gen(function* () {
      const params = yield* OperationOptions.paramsOf(options, hasPreview)
      const { steps, template = null } = yield* plan
      const applied = Bridge.ask(services.bridge, "steps.apply", { steps, ...params })
      const undone = options.dryRun === true ? " They were undone: dryRun is true." : ""
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

/** @param hasContext whether the command is about the selection */
export const executeNatural = (
  services: Services,
  {
    command,
    hasContext,
    options,
  }: { readonly command: string; readonly options: OperationOptions.Options; readonly hasContext: boolean },
  hasPreview: boolean,
): Effect.Effect<Payload> => {
  const text = {
    text: command,
    argument: "command",
    language: options.language ?? undefined,
    selection: selected(services),
    hasContext,
    timeoutMs: options.timeoutMs ?? undefined,
  } as const
  return stepped(services, NaturalCommand.plan(text, services.sample), options, hasPreview)
}

/** Feedback in words on one object. */
export const iterate = (
  services: Services,
  {
    feedback,
    modelId,
    renderOptions,
  }: {
    readonly modelId: string
    readonly feedback: string
    readonly renderOptions?: OperationOptions.RenderParams | null
  },
  hasPreview: boolean,
): Effect.Effect<Payload> => {
  const text = { text: feedback, argument: "feedback", selection: Effect.succeed([modelId]), hasContext: true } as const
  const plan = NaturalCommand.plan(text, services.sample)
  return stepped(services, plan, { preview: renderOptions ?? null }, hasPreview)
}

/** @param steps those that fit their schema, or what is wrong with them */
export const apply = (
  services: Services,
  {
    options,
    steps,
  }: {
    readonly steps: Result.Result<ReadonlyArray<Steps.Step>, Bridge.BridgeFailure>
    readonly options: OperationOptions.Options
  },
  hasPreview: boolean,
): Effect.Effect<Payload> => {
  const plan = Effect.map(Effect.fromResult(steps), (read) => ({ steps: read }))
  return stepped(services, plan, options, hasPreview)
}

/** The longest metadata that the log keeps, in code units. */
const mostMetadata = 4_096

export const executeRaw = (
  services: Services,
  {
    metadata,
    options,
    pythonCode,
  }: { readonly pythonCode: string; readonly metadata?: unknown; readonly options: OperationOptions.Options },
  hasPreview: boolean,
): Effect.Effect<Payload> =>
  operation(
    services,
    Effect.gen(function* () {
      const bytes = Buffer.byteLength(pythonCode)
      if (bytes > OperationOptions.mostCode) {
        const message = `\`pythonCode\` has ${bytes} bytes: ${OperationOptions.mostCode} is the limit.`
        return yield* OperationOptions.refuse(message, "pythonCode")
      }
      const params = yield* OperationOptions.paramsOf(options, hasPreview)
      if (metadata != null) services.log("executeRaw metadata", JSON.stringify(metadata).slice(0, mostMetadata))
      const ran = Bridge.ask(services.bridge, "code.run", { code: pythonCode, ...params })
      const { changes, output, preview, value } = yield* renamed(ran, "code", "pythonCode")
      const message = options.dryRun === true ? "The code ran, and was undone: dryRun is true." : "The code ran."
      return { message, fields: { output, value, changes, preview } }
    }),
  )

export const capturePreview = (services: Services, params: OperationOptions.RenderParams): Effect.Effect<Payload> =>
  operation(
    services,
    Effect.gen(function* () {
      const image = yield* Bridge.ask(services.bridge, "preview.render", yield* OperationOptions.pictureOf(params))
      return { message: `A picture of ${image["width"]} × ${image["height"]} pixels.`, fields: { image } }
    }),
  )

/** `undo` or `redo`. */
export const stepInHistory = (services: Services, method: "undo" | "redo"): Effect.Effect<Payload> =>
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
export const withFile = (
  services: Services,
  method: "file.save" | "file.open",
  path: string | null | undefined,
  discard?: boolean | null,
): Effect.Effect<Payload> =>
  operation(
    services,
    Effect.map(
      renamed(Bridge.ask(services.bridge, method, OperationOptions.given({ path, discard })), "path", "file"),
      ({ discarded, file }) => ({
        message: [
          method === "file.save" ? `Saved ${file}.` : `Opened ${file}.`,
          ...(discarded === undefined ? [] : [`The unsaved scene before it is in ${discarded}.`]),
        ].join(" "),
        fields: { file, ...(discarded === undefined ? {} : { discarded }) },
      }),
    ),
  )

/** Fails as a tool does whose arguments are wrong. */
export const judgeSteps = (tool: string, steps: unknown) =>
  Effect.mapError(Effect.fromResult(StepReader.read(steps)), (failure) =>
    ToolNames.wrongArguments(tool, StepReader.sentence(failure)),
  )
