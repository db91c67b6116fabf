/**
 * A model endpoint on the loopback interface that plays a script, for agents that are real.
 *
 * It speaks the OpenAI Responses API and the Anthropic Messages API, records what it was asked, and writes the
 * configuration with which an agent talks to it and to nothing else.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import type { AgentEnvironment } from "./AgentEnvironment.ts"
import { type ClaudeCodeOptions, writeClaudeCode } from "./ClaudeCodeEnvironment.ts"
import { type CodexOptions, writeCodex } from "./CodexEnvironment.ts"
import type { ModelUsage } from "./ModelApi.ts"
import type { ModelRequest } from "./ModelRequest.ts"
import * as ModelServer from "./ModelServer.ts"
import * as PrivateDirectory from "./PrivateDirectory.ts"
import type { ScriptedModelError } from "./ScriptedModelError.ts"
import type { ScriptedTurn } from "./ScriptedTurn.ts"

/**
 * A running model.
 *
 * - `url`: `http://127.0.0.1:PORT`; the OpenAI API is below `${url}/v1`
 * - `requests`: every request so far, in order of arrival. Only requests for an answer are recorded, and only these use
 *   up the script.
 * - `awaitRequest`: the first request that matches, past or future; any, without a predicate. Fails with `closed`.
 * - `awaitGone`: the client of this request closed its connection before the answer was complete. Fails with
 *   `already-answered`, `unknown-request` or `closed`.
 * - `codex`, `claudeCode`: write the agent's configuration below `directory`, or below a temporary directory that is
 *   removed with the model. Directories have mode 0700, files 0600. Fail with `write-failed` or `invalid-options`.
 */
export interface ScriptedModel {
  readonly url: string
  readonly requests: Effect.Effect<ReadonlyArray<ModelRequest>>
  readonly awaitRequest: (
    predicate?: (request: ModelRequest) => boolean,
  ) => Effect.Effect<ModelRequest, ScriptedModelError>
  readonly awaitGone: (request: ModelRequest) => Effect.Effect<void, ScriptedModelError>
  readonly codex: (directory?: string, options?: CodexOptions) => Effect.Effect<AgentEnvironment, ScriptedModelError>
  readonly claudeCode: (
    directory?: string,
    options?: ClaudeCodeOptions,
  ) => Effect.Effect<AgentEnvironment, ScriptedModelError>
}

export type { ModelUsage }

/** The service of a model that the whole program talks to. */
export const ScriptedModel: Context.Service<ScriptedModel, ScriptedModel> = Context.Service(
  "@zain/scripted-model/ScriptedModel",
)

/**
 * What the model plays.
 *
 * - `turns`: played one per request, in order of arrival, whichever API they come by
 * - `respond`: decides by the request; where it gives `undefined`, the next of `turns` is played. What it throws is told
 *   to the agent as an error with status 400.
 * - `whenScriptEnds`: played for every request after the last of `turns`; an error with status 410 that says so, by
 *   default
 * - `usage`: the token counts that every answer reports; 10 in and 5 out by default
 * - `maxRequestBytes`: a longer body is answered with status 413; 64 MiB by default
 */
export interface ScriptedModelOptions {
  readonly turns?: ReadonlyArray<ScriptedTurn>
  readonly respond?: (
    request: ModelRequest,
  ) => ScriptedTurn | undefined | Effect.Effect<ScriptedTurn> | Effect.Effect<ScriptedTurn | undefined>
  readonly whenScriptEnds?: ScriptedTurn
  readonly usage?: ModelUsage
  readonly maxRequestBytes?: number
}

/**
 * Starts a model that runs until the scope ends; then every connection and timer of it ends at once.
 *
 * Fails with `ScriptedModelError`, reason `listen-failed`.
 *
 * @example
 * ```ts
 * import { ScriptedModel, ScriptedTurn } from "@zain/scripted-model"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const model = yield* ScriptedModel.make({ turns: [ScriptedTurn.text("Hello")] })
 *   const codex = yield* model.codex()
 *   return codex.env
 * })
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 */
export const make = Effect.fnUntraced(function* (
  options: ScriptedModelOptions = {},
): Effect.fn.Return<ScriptedModel, ScriptedModelError, Scope.Scope> {
  const scope = yield* Effect.scope
  const turns = options.turns ?? []
  let played = 0

  const nextTurn = ({ index }: ModelRequest): ScriptedTurn =>
    turns[played++] ?? options.whenScriptEnds ?? scriptEnded(index, turns.length)

  const turnFor = (request: ModelRequest): Effect.Effect<ScriptedTurn> =>
    Effect.suspend(() => {
      const decided = options.respond?.(request)
      if (!Effect.isEffect(decided)) return Effect.succeed(decided ?? nextTurn(request))
      const later: Effect.Effect<ScriptedTurn | undefined> = decided
      return Effect.map(later, (turn) => turn ?? nextTurn(request))
    })

  const { log, url } = yield* ModelServer.make({
    turnFor,
    usage: options.usage ?? { inputTokens: 10, outputTokens: 5 },
    maxRequestBytes: options.maxRequestBytes ?? 64 * 1024 * 1024,
  })
  const directoryOr = (directory: string | undefined) =>
    directory === undefined ? PrivateDirectory.makeTemporary(scope) : Effect.succeed(directory)

  return {
    url,
    requests: log.requests,
    awaitRequest: (predicate = () => true) => log.awaitRequest(predicate),
    awaitGone: log.awaitGone,
    codex: (directory, options) => Effect.flatMap(directoryOr(directory), (path) => writeCodex(url, path, options)),
    claudeCode: (directory, options) =>
      Effect.flatMap(directoryOr(directory), (path) => writeClaudeCode(url, path, scope, options)),
  }
})

const scriptEnded = (index: number, count: number): ScriptedTurn => ({
  _tag: "HttpError",
  status: 410,
  message:
    `The script has no turn left for request ${index} (it had ${count}). ` +
    "Add a turn, or say with `whenScriptEnds` what to play then.",
})

/**
 * A model as a service. Fails with `ScriptedModelError`, reason `listen-failed`.
 *
 * @example
 * ```ts
 * import { ScriptedModel, ScriptedTurn } from "@zain/scripted-model"
 * import * as Effect from "effect/Effect"
 *
 * const url = Effect.map(ScriptedModel.ScriptedModel, (model) => model.url)
 * await Effect.runPromise(Effect.provide(url, ScriptedModel.layer({ turns: [ScriptedTurn.text("Hello")] })))
 * ```
 */
export const layer = (options?: ScriptedModelOptions): Layer.Layer<ScriptedModel, ScriptedModelError> =>
  Layer.effect(ScriptedModel, make(options))

/**
 * A running model for programs that do not use Effect. Promises reject with `ScriptedModelError`.
 *
 * - `close`: ends it, and every connection and temporary directory of it; resolves when that is done, and may be called
 *   again. `await using` calls it at the end of the block
 * - the rest: as in `ScriptedModel`
 */
export interface StartedModel extends AsyncDisposable {
  readonly url: string
  readonly requests: () => Promise<ReadonlyArray<ModelRequest>>
  readonly awaitRequest: (
    predicate?: (request: ModelRequest) => boolean,
    options?: { readonly signal?: AbortSignal },
  ) => Promise<ModelRequest>
  readonly awaitGone: (request: ModelRequest, options?: { readonly signal?: AbortSignal }) => Promise<void>
  readonly codex: (directory?: string, options?: CodexOptions) => Promise<AgentEnvironment>
  readonly claudeCode: (directory?: string, options?: ClaudeCodeOptions) => Promise<AgentEnvironment>
  readonly close: () => Promise<void>
}

/** As `ScriptedModelOptions`, with a `respond` that may give a promise. */
export interface StartOptions extends Omit<ScriptedModelOptions, "respond"> {
  readonly respond?: (request: ModelRequest) => ScriptedTurn | undefined | Promise<ScriptedTurn | undefined>
}

/**
 * Starts a model that runs until it is closed or disposed of. Rejects with `ScriptedModelError`, reason `listen-failed`.
 *
 * @example
 * ```ts
 * import { ScriptedModel, ScriptedTurn } from "@zain/scripted-model"
 *
 * await using model = await ScriptedModel.start({ turns: [ScriptedTurn.text("Hello")] })
 * const { env } = await model.codex()
 * ```
 */
export const start = async (options: StartOptions = {}): Promise<StartedModel> => {
  const { respond, ...rest } = options
  const decide = respond && {
    respond: (request: ModelRequest) => Effect.promise(async () => respond(request)),
  }
  const scope = Scope.makeUnsafe()
  const close = Scope.close(scope, Exit.void)
  const model = await Effect.runPromise(
    make({ ...rest, ...decide }).pipe(
      Scope.provide(scope),
      Effect.onError(() => close),
    ),
  )
  let closing: Promise<void> | undefined
  const end = () => {
    closing ??= Effect.runPromise(close)
    return closing
  }
  return {
    url: model.url,
    requests: () => Effect.runPromise(model.requests),
    awaitRequest: (predicate, options) => Effect.runPromise(model.awaitRequest(predicate), options),
    awaitGone: (request, options) => Effect.runPromise(model.awaitGone(request), options),
    codex: (directory, options) => Effect.runPromise(model.codex(directory, options)),
    claudeCode: (directory, options) => Effect.runPromise(model.claudeCode(directory, options)),
    close: end,
    [Symbol.asyncDispose]: end,
  }
}
