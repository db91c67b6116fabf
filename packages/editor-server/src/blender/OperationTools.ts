/**
 * The tools that are operations. Their code is loaded with the first call: `initialize` does not need it.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Arguments, EditorTool } from "../domain/Catalogue.ts"
import type { DomainError } from "../domain/DomainError.ts"
import * as BlenderBridge from "./BlenderBridge.ts"
import type { Payload, Services } from "./Operations.ts"

type Operations = typeof import("./Operations.ts")

/**
 * The code of a tool. Its arguments fit the tool's schema.
 *
 * @param judge what else must be true of them
 */
const tool =
  (
    work: (operations: Operations, args: Arguments) => (services: Services) => Effect.Effect<Payload>,
    judge: (operations: Operations, args: Arguments) => Effect.Effect<unknown, DomainError> = () => Effect.void,
  ): NonNullable<EditorTool["run"]> =>
  (args, context) =>
    Effect.promise(() => import("./Operations.ts")).pipe(
      Effect.tap((operations) => judge(operations, args)),
      Effect.flatMap((operations) => BlenderBridge.use(context, work(operations, args), BlenderBridge.resultOf)),
    )

const hasPreview = ({ preview }: Arguments) => preview !== undefined

/** `command.apply`. The result does not repeat the steps: the client has just written them. */
export const apply = tool(
  ({ apply }, { steps, ...options }) =>
    (services) => {
      const given = { steps: Result.succeed(steps as ReadonlyArray<Arguments>), options }
      return Effect.map(apply(services, given, hasPreview(options)), ({ steps, template, ...payload }) => payload)
    },
  ({ judgeSteps }, { steps }) => judgeSteps("command.apply", steps),
)

/** `command.executeNatural` */
export const executeNatural = tool(({ executeNatural }, { command, ...options }) => (services) => {
  const given = { command: String(command), options, hasContext: false }
  return executeNatural(services, given, hasPreview(options))
})

/** `command.executeRaw` */
export const executeRaw = tool(({ executeRaw }, { pythonCode, ...options }) => (services) => {
  const given = { pythonCode: String(pythonCode), options }
  return executeRaw(services, given, hasPreview(options))
})

/** `model.iterate`, with pictures of before and after. */
export const iterate = tool(({ iterate }, { feedback, modelId, renderOptions = {} }) => (services) => {
  const given = { modelId: String(modelId), feedback: String(feedback), renderOptions: renderOptions as Arguments }
  return iterate(services, given, true)
})

/** `scene.capturePreview` */
export const capturePreview = tool(
  ({ capturePreview }, picture) =>
    (services) =>
      capturePreview(services, picture),
)

/** `scene.undo`, which with `redo` does it again. */
export const undo = tool(
  ({ stepInHistory }, { redo }) =>
    (services) =>
      stepInHistory(services, redo === true ? "redo" : "undo"),
)

/** `scene.save` and `scene.open`. */
export const withFile = (method: "file.save" | "file.open") =>
  tool(
    ({ withFile }, { discard, file }) =>
      (services) =>
        withFile(services, method, file as string | undefined, discard as boolean | undefined),
  )
