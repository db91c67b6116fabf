/** Clients that report the end of a turn wrongly. */
import { Effect } from "effect"
import { executing } from "../../testing/mutants/Override.ts"
import { type Mutant, mutant, taking } from "./Mutant.ts"

export const brokenEnds: ReadonlyArray<Mutant> = [
  mutant("does not report how full the context is", "reports.context", {
    driver: taking((execute, request, turn) =>
      Effect.map(execute(request, turn), ({ context: _, ...answer }) => answer),
    ),
  }),
  mutant("adds up the costs of all turns", "reports.cost", {
    driver: (driver) => {
      let all = 0
      return taking((execute, request, turn) =>
        Effect.map(execute(request, turn), ({ cost = 0, ...answer }) => {
          all += cost
          return { ...answer, cost: all }
        }),
      )(driver, undefined as never)
    },
  }),
  mutant("reports neither which limit has ended a turn nor when it is reset", "failure.limit", {
    adapter: executing((execute, ...args) =>
      Effect.map(execute(...args), (response) =>
        response.cause?._tag === "RateLimited" ? { ...response, cause: { _tag: "RateLimited" as const } } : response,
      ),
    ),
  }),
  mutant("reports that every turn was interrupted", "reports.stop-reason", {
    adapter: executing((execute, ...args) =>
      Effect.map(execute(...args), (response) => ({ ...response, stopReason: "interrupted" as const })),
    ),
  }),
]
