/**
 * The bridge as the code of a tool reaches it, and what an operation means to the tool's caller.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { ToolContext } from "../domain/Catalogue.ts"
import { type DomainError, ToolExecutionError } from "../domain/DomainError.ts"
import type { OperationResult } from "../domain/OperationResult.ts"
import * as BlenderResult from "./BlenderResult.ts"
import type { BridgeFailure } from "./Bridge.ts"
import * as ExecutionStats from "./ExecutionStats.ts"
import type { Payload, Services } from "./Operations.ts"

/** Of all tools of this process, which serves one Blender or several. */
const stats = ExecutionStats.make()

/** How long an answer may take after the time that Blender was given. */
const margin = Duration.toMillis(Duration.seconds(10))

/**
 * Does the work of a tool over the bridge. A failure that is not Blender's own, such as a lost connection, is the tool's
 * failure as it is: what the work makes of it does not say whether the call was sent.
 */
export const use = <A>(
  { sample, send }: ToolContext,
  work: (services: Services) => Effect.Effect<A>,
  read: (done: A) => Effect.Effect<OperationResult, DomainError>,
): Effect.Effect<OperationResult, DomainError> =>
  Effect.suspend(() => {
    let lost: DomainError | undefined
    const bridge: Services["bridge"] = {
      request: (method, params, { timeoutMs }) =>
        Effect.mapError(
          send(method, params, timeoutMs === undefined ? {} : { timeoutMs: timeoutMs + margin }),
          (error): BridgeFailure => {
            if (error.reason !== "editor") lost = error
            const { code = "SYSTEM_ERROR", details, message } = error
            return { ...details, code, message }
          },
        ),
    }
    return Effect.flatMap(work({ bridge, stats, sample, log: () => {} }), (done) =>
      lost === undefined ? read(done) : Effect.fail(lost),
    )
  })

/** The result of a tool: the payload of its operation, whose failure is the tool's. */
export const resultOf = ({ error, executionTimeMs, success, ...rest }: Payload) =>
  error === null
    ? Effect.succeed(BlenderResult.make(rest))
    : Effect.fail(
        new ToolExecutionError({
          message: [error.message, ...error.suggestions].join(" "),
          delivery: "answered",
          reason: "editor",
          code: error.code,
          details: { ...error, ...rest, executionTimeMs },
        }),
      )
