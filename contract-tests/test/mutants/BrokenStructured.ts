/** Clients whose structured answers are broken. */
import type { McpResponse } from "@zain/core"
import type { AgentRequest } from "@zain/core/AgentConnection"
import { Effect } from "effect"
import { executing } from "../../testing/mutants/Override.ts"
import { type Mutant, mutant, taking } from "./Mutant.ts"

const parsed = (response: McpResponse): McpResponse =>
  response.structured === undefined ? response : { ...response, structured: JSON.parse(response.content) }

export const brokenStructured: ReadonlyArray<Mutant> = [
  mutant("keeps the schema to itself", "structured.value", {
    driver: taking((execute, { output: _, ...request }, turn) => execute(request, turn)),
  }),
  mutant("does not read the answer by its schema", "structured.read", {
    adapter: executing((execute, ...args) => Effect.map(execute(...args), parsed)),
  }),
  mutant("does not ask again", "structured.again", {
    driver: taking((execute, request, turn) =>
      request.content.startsWith("Your answer")
        ? Effect.succeed({ content: "{}", isError: false })
        : execute(request, turn),
    ),
  }),
  mutant("returns what does not fit", "structured.never", {
    adapter: executing((execute, ...args) =>
      Effect.map(execute(...args), ({ cause, ...response }) =>
        cause?._tag === "Unstructured" ? { ...response, isError: false, structured: response.content } : response,
      ),
    ),
  }),
  mutant("keeps a schema for later turns", "structured.alone", {
    driver: (driver) => {
      let kept: AgentRequest["output"]
      return taking((execute, request, turn) => {
        kept ??= request.output
        return execute(kept === undefined ? request : { ...request, output: kept }, turn)
      })(driver, undefined as never)
    },
  }),
  mutant("asks a failed turn again", "structured.failed", {
    adapter: executing((execute, session, request) =>
      Effect.flatMap(execute(session, request), (response) =>
        response.isError && request.output !== undefined ? execute(session, request) : Effect.succeed(response),
      ),
    ),
  }),
  mutant("goes on with a second question that was interrupted", "structured.cancelled", {
    driver: taking((execute, request, turn) =>
      request.content.startsWith("Your answer")
        ? Effect.uninterruptible(execute(request, turn))
        : execute(request, turn),
    ),
  }),
  mutant("sends a request without the schema that is none", "structured.invalid", {
    adapter: executing((execute, session, request) =>
      Effect.catch(execute(session, request), (error) =>
        error.reason === "invalid-config" ? execute(session, { content: request.content }) : Effect.fail(error),
      ),
    ),
  }),
]
