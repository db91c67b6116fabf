/** Clients whose attachments are broken. */
import type { McpRequest } from "@zain/core/McpRequest"
import { Effect } from "effect"
import { executing } from "../../testing/mutants/Override.ts"
import { type Mutant, mutant, taking } from "./Mutant.ts"

const withoutThem = ({ attachments: _, ...request }: McpRequest): McpRequest => request

export const brokenAttachments: ReadonlyArray<Mutant> = [
  mutant("keeps the images to itself", "attachments.images", {
    driver: taking((execute, { images: _, ...request }, turn) => execute(request, turn)),
  }),
  mutant("ignores text files", "attachments.files", {
    adapter: executing((execute, session, request) => execute(session, withoutThem(request))),
  }),
  mutant("sends a request without the attachment that it cannot read", "attachments.invalid", {
    adapter: executing((execute, session, request) =>
      Effect.catch(execute(session, request), (error) =>
        error.reason === "invalid-config" ? execute(session, withoutThem(request)) : Effect.fail(error),
      ),
    ),
  }),
]
