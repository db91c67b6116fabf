/**
 * Sends calls to the editor.
 *
 * @see seed, `IMessageService`
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Arguments } from "../domain/Catalogue.ts"
import type { DomainError } from "../domain/DomainError.ts"
import type { CallLog } from "../domain/models/Requests.ts"

export class MessageService extends Context.Service<
  MessageService,
  {
    /**
     * Sends a call, and returns the editor's answer.
     *
     * @param timeoutMs from when the call is sent; by the profile and `--timeout` if omitted
     * @param isRepeatable whether it may be sent once more if its outcome was lost
     * @param log receives the steps of the call
     */
    readonly request: (
      method: string,
      params: Arguments,
      options: { readonly timeoutMs?: number; readonly isRepeatable: boolean; readonly log?: CallLog },
    ) => Effect.Effect<unknown, DomainError>
  }
>()("@zain/editor-server/MessageService") {}
