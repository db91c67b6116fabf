/**
 * The bridge for the code of tools, and the results of operations.
 */

import type { ToolContext } from "@zain/editor-link/domain/Catalogue"
import { type Delivery, type DomainError, ToolExecutionError } from "@zain/editor-link/domain/DomainError"
import type { RoutedEditor } from "@zain/editor-link/domain/EditorRoutes"
import type { OperationResult } from "@zain/editor-link/domain/OperationResult"
import * as Effect from "effect/Effect"
import * as BlenderResult from "./BlenderResult.ts"
import type { Bridge, BridgeFailure } from "./Bridge.ts"
import * as ErrorCodes from "./ErrorCodes.ts"
import * as ExecutionStats from "./ExecutionStats.ts"
import type { Payload, Services } from "./Operations.ts"

/** Shared by all clients of this process. */
const stats = ExecutionStats.make()

/** How a failure of the connection describes its delivery. */
const deliveries: Readonly<Record<Delivery, string>> = {
  "not-sent": "not-sent: the call was not sent, and calling again is safe.",
  unknown: "unknown: the call was sent, and its outcome is unknown. Check the scene before calling again.",
  answered: "answered: Blender refused the call.",
}

const codeOf = ({ _tag, code, reason }: DomainError): string => {
  if (code !== undefined) return code
  if (reason === "timeout") return "OPERATION_TIMEOUT"
  return _tag === "ValidationError" ? "VALIDATION_ERROR" : "SYSTEM_ERROR"
}

const failureOf = (error: DomainError): BridgeFailure => {
  const { delivery, details, message, reason } = error
  const said = reason === "editor" ? details : { details: deliveries[delivery] }
  return { message, ...said, code: codeOf(error) }
}

type Send = ToolContext["send"]

/** The bridge over a link. `failed` receives each failure. */
const over = (send: Send, failed: (error: DomainError) => void = () => {}): Bridge => ({
  request: (method, params) =>
    Effect.mapError(send(method, params), (error) => {
      failed(error)
      return failureOf(error)
    }),
})

/** Reads may be sent again. */
const reading: ReadonlySet<string> = new Set(["scene.read", "object.read", "preview.render"])

/** The environment of operations outside of tools. */
export const servicesOf = ({ log, send }: RoutedEditor): Services => ({
  bridge: over((method, params) => send(method, params, { isRepeatable: reading.has(method) })),
  stats,
  log,
})

/**
 * Runs a tool over the bridge. A failure of the connection becomes the tool's failure unchanged, because the work's own
 * failure does not have its delivery.
 */
export const use = <A>(
  { progress, sample, send }: ToolContext,
  work: (services: Services) => Effect.Effect<A>,
  read: (done: A) => Effect.Effect<OperationResult, DomainError>,
): Effect.Effect<OperationResult, DomainError> =>
  Effect.suspend(() => {
    let lost: DomainError | undefined
    const bridge = over(send, (error) => {
      if (error.reason !== "editor" || error.details?.["rpcCode"] !== undefined) lost = error
    })
    return Effect.flatMap(work({ bridge, stats, sample, progress, log: () => {} }), (done) =>
      lost === undefined ? read(done) : Effect.fail(lost),
    )
  })

/** GraphQL's notation of a mutation, and the tool that does the same. */
const named = (text: string) => text.replaceAll("command.apply", "command_apply")

/** The result of a tool: the payload of its operation, whose failure is the tool's. */
export const resultOf = ({ error, success, ...rest }: Payload) => {
  if (error === null) return Effect.succeed(BlenderResult.make({ success, ...rest }))
  const { message, suggestions } = error
  return Effect.fail(
    new ToolExecutionError({
      message: named(ErrorCodes.sentences(error)),
      delivery: "answered",
      reason: "editor",
      code: error.code,
      details: { ...rest, ...error, message: named(message), suggestions: suggestions.map(named) },
    }),
  )
}
