/** Clients whose options of one turn are broken. */
import type { AgentRequest } from "@zain/core/AgentConnection"
import type { McpRequest } from "@zain/core/McpRequest"
import { Effect } from "effect"
import { executing } from "../../testing/mutants/Override.ts"
import { connecting, type Mutant, mutant, taking } from "./Mutant.ts"

const without = ({ providerOptions: _, ...request }: McpRequest): McpRequest => request

/** Keeps the options of the last turn that had some, unless the turn ends as `isSetBack` says. */
const keeping = (isSetBack: (turn: "answered" | "failed" | "cancelled") => boolean) =>
  connecting((connect, config, id) =>
    Effect.map(connect(config, id), (connection) => {
      let kept: Pick<AgentRequest, "providerOptions"> = {}
      return {
        ...connection,
        execute: (request, turn) => {
          const { providerOptions } = request
          const whole = { ...kept, ...request }
          kept = providerOptions === undefined ? kept : { providerOptions }
          const end = (how: Parameters<typeof isSetBack>[0]) => {
            if (isSetBack(how)) kept = {}
          }
          return connection.execute(whole, turn).pipe(
            Effect.tap(({ isError }) => Effect.sync(() => end(isError ? "failed" : "answered"))),
            Effect.onInterrupt(() => Effect.sync(() => end("cancelled"))),
          )
        },
      }
    }),
  )

export const brokenOptions: ReadonlyArray<Mutant> = [
  mutant("keeps options of one turn to itself", "options.once", {
    driver: taking((execute, { providerOptions: _, ...request }, turn) => execute(request, turn)),
  }),
  mutant("keeps options of one turn for the next", "options.once", { driver: keeping(() => false) }),
  mutant("keeps options of a turn that fails", "options.once", { driver: keeping((turn) => turn !== "failed") }),
  mutant("keeps options of a cancelled turn", "options.once", { driver: keeping((turn) => turn !== "cancelled") }),
  mutant("stores options of one turn with the conversation", "options.resumed", {
    driver: (driver) => {
      let kept: Pick<AgentRequest, "providerOptions"> = {}
      return connecting((connect, config, id) =>
        Effect.map(connect(config, id), (connection) => ({
          ...connection,
          execute: (request, turn) => {
            const { providerOptions } = request
            if (providerOptions !== undefined) kept = { providerOptions }
            const isResumed = config.providerOptions["threadId"] !== undefined
            return connection.execute(isResumed ? { ...kept, ...request } : request, turn)
          },
        })),
      )(driver, undefined as never)
    },
  }),
  mutant("ignores options that the agent does not take", "options.refused", {
    adapter: executing((execute, session, request) =>
      Effect.catch(execute(session, request), (error) =>
        error.reason === "not-supported" || error.reason === "invalid-config"
          ? execute(session, without(request))
          : Effect.fail(error),
      ),
    ),
  }),
  mutant("has options of one turn, and refuses them", "options.once", {
    driver: taking((execute, request, turn) =>
      execute(request.providerOptions === undefined ? request : { ...request, providerOptions: { none: true } }, turn),
    ),
  }),
]
