/**
 * The bridge as the code of a tool reaches it, and what an operation means to the tool's caller.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { ToolContext } from "../domain/Catalogue.ts"
import { ToolExecutionError } from "../domain/DomainError.ts"
import * as BlenderResult from "./BlenderResult.ts"
import type { BridgeFailure } from "./Bridge.ts"
import * as ExecutionStats from "./ExecutionStats.ts"
import type { Payload, Services } from "./Operations.ts"

/** Of all tools of this process, which serves one Blender or several. */
const stats = ExecutionStats.make()

/** How long an answer may take after the time that Blender was given. */
const margin = Duration.toMillis(Duration.seconds(10))

export const services = ({ send }: ToolContext): Services => ({
  bridge: {
    request: (method, params, { timeoutMs }) =>
      Effect.mapError(
        send(method, params, timeoutMs === undefined ? {} : { timeoutMs: timeoutMs + margin }),
        ({ code = "SYSTEM_ERROR", message, details }): BridgeFailure => ({ ...details, code, message }),
      ),
  },
  stats,
  log: () => {},
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
