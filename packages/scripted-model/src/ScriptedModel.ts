/**
 * A model endpoint on the loopback interface that plays a script, to test with real agents.
 *
 * It serves the OpenAI Responses API and the Anthropic Messages API, records requests, and writes the configuration
 * with which an agent uses this model and no other service.
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
import * as PrivateHome from "./PrivateHome.ts"
import type { ScriptedModelError } from "./ScriptedModelError.ts"
import type { ScriptedTurn } from "./ScriptedTurn.ts"

/** A model that listens on 127.0.0.1, the requests that it received, and configurations for agents that use it. */
export interface ScriptedModel {
  /**
   * The address of the model, `http://127.0.0.1:PORT`: the base URL of Anthropic's Messages API. That of OpenAI's
   * Responses API is `${url}/v1`.
   */
  readonly url: string
  /** Every request for an answer so far, in order of arrival. Other requests, such as counting tokens, use no turn. */
  readonly requests: Effect.Effect<ReadonlyArray<ModelRequest>>
  /**
   * Returns the first request that matches, and waits for it if none has arrived yet. Fails with `closed` when the model
   * closes first.
   *
   * @param predicate matches every request by default
   */
  readonly awaitRequest: (
    predicate?: (request: ModelRequest) => boolean,
  ) => Effect.Effect<ModelRequest, ScriptedModelError>
  /**
   * Succeeds once the client of a request has disconnected before its answer was complete, as an agent does on
   * cancellation. Fails with `already-answered`, `unknown-request` or `closed`.
   *
   * @param request a request that `requests` or `awaitRequest` returned
   */
  readonly awaitGone: (request: ModelRequest) => Effect.Effect<void, ScriptedModelError>
  /**
   * Writes the configuration of a Codex that uses this model: new directories with mode 0700, files with mode 0600.
   * Fails with `write-failed` or `invalid-options`.
   *
   * @param directory where to write; by default a temporary directory that is removed with the model
   * @param options the settings to write, such as `sandboxMode` and `config`
   */
  readonly codex: (directory?: string, options?: CodexOptions) => Effect.Effect<AgentEnvironment, ScriptedModelError>
  /**
   * Writes the configuration of a Claude Code that uses this model: new directories with mode 0700, files with mode
   * 0600. Fails with `write-failed` or `invalid-options`.
   *
   * @param directory where to write; by default a temporary directory that is removed with the model
   * @param options the settings to write, such as `model` and `settings`
   */
  readonly claudeCode: (
    directory?: string,
    options?: ClaudeCodeOptions,
  ) => Effect.Effect<AgentEnvironment, ScriptedModelError>
}

export type { ModelUsage }

/** The service of a model shared by the whole program; see `layer`. */
export const ScriptedModel: Context.Service<ScriptedModel, ScriptedModel> = Context.Service(
  "@zain/scripted-model/ScriptedModel",
)

/** The script of a model: how it answers each request, and the limits of a request. */
export interface ScriptedModelOptions {
  /**
   * The model's answers, one per request, in order of arrival over both APIs. None by default. An agent may send more
   * requests than prompts, for example Claude Code after status 400 or 422 and after an empty answer: use `respond`
   * there.
   */
  readonly turns?: ReadonlyArray<ScriptedTurn>
  /**
   * Chooses the turn for a request. For `undefined` the next of `turns` is played. An exception is sent to the agent as
   * an error with status 400.
   *
   * @param request the request to answer; `requests` already contains it
   */
  readonly respond?: (
    request: ModelRequest,
  ) => ScriptedTurn | undefined | Effect.Effect<ScriptedTurn> | Effect.Effect<ScriptedTurn | undefined>
  /**
   * The turn to play for every request after the last of `turns`. By default an HTTP error with status 410, whose
   * message says that the script has ended.
   */
  readonly whenScriptEnds?: ScriptedTurn
  /** The token counts that every answer reports; 10 in and 5 out by default. */
  readonly usage?: ModelUsage
  /** The largest body of a request, in bytes; a larger one gets status 413. 64 MiB by default. */
  readonly maxRequestBytes?: number
}

/**
 * Starts a model that runs until the Scope closes; its connections and timers end with it. Fails with
 * `ScriptedModelError`, reason `listen-failed`.
 *
 * @param options the script; without one, every request for an answer gets status 410
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
    directory === undefined ? PrivateHome.makeTemporary(scope) : Effect.succeed(directory)

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
    "Add a turn, or set `whenScriptEnds` to the turn to play then.",
})

/**
 * Provides a model as a service. Fails with `ScriptedModelError`, reason `listen-failed`.
 *
 * @param options the script; without one, every request for an answer gets status 410
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

/** A running model for programs without Effect. Promises reject with `ScriptedModelError`. */
export interface StartedModel extends AsyncDisposable {
  /**
   * The address of the model, `http://127.0.0.1:PORT`: the base URL of Anthropic's Messages API. That of OpenAI's
   * Responses API is `${url}/v1`.
   */
  readonly url: string
  /**
   * Returns every request for an answer so far, in order of arrival. Other requests, such as counting tokens, use no
   * turn.
   */
  readonly requests: () => Promise<ReadonlyArray<ModelRequest>>
  /**
   * Returns the first request that matches, and waits for it if none has arrived yet. Rejects with `closed` when the
   * model closes first.
   *
   * @param predicate matches every request by default
   * @param options `signal` ends the wait: the promise rejects with an `Error` that is no `ScriptedModelError`
   */
  readonly awaitRequest: (
    predicate?: (request: ModelRequest) => boolean,
    options?: { readonly signal?: AbortSignal },
  ) => Promise<ModelRequest>
  /**
   * Resolves once the client of a request has disconnected before its answer was complete, as an agent does on
   * cancellation. Rejects with `already-answered`, `unknown-request` or `closed`.
   *
   * @param request a request that `requests` or `awaitRequest` returned
   * @param options `signal` ends the wait: the promise rejects with an `Error` that is no `ScriptedModelError`
   */
  readonly awaitGone: (request: ModelRequest, options?: { readonly signal?: AbortSignal }) => Promise<void>
  /**
   * Writes the configuration of a Codex that uses this model: new directories with mode 0700, files with mode 0600.
   * Rejects with `write-failed` or `invalid-options`.
   *
   * @param directory where to write; by default a temporary directory that is removed with the model
   * @param options the settings to write, such as `sandboxMode` and `config`
   */
  readonly codex: (directory?: string, options?: CodexOptions) => Promise<AgentEnvironment>
  /**
   * Writes the configuration of a Claude Code that uses this model: new directories with mode 0700, files with mode
   * 0600. Rejects with `write-failed` or `invalid-options`.
   *
   * @param directory where to write; by default a temporary directory that is removed with the model
   * @param options the settings to write, such as `model` and `settings`
   */
  readonly claudeCode: (directory?: string, options?: ClaudeCodeOptions) => Promise<AgentEnvironment>
  /**
   * Ends every connection and removes the temporary directories; resolves when that is done. Further calls return the
   * same promise. `await using` calls it at the end of the block.
   */
  readonly close: () => Promise<void>
}

/** `ScriptedModelOptions` with a `respond` that may return a promise. */
export interface StartOptions extends Omit<ScriptedModelOptions, "respond"> {
  /**
   * Chooses the turn for a request. For `undefined` the next of `turns` is played. An exception or rejection is sent to
   * the agent as an error with status 400.
   *
   * @param request the request to answer; `requests` already contains it
   */
  readonly respond?: (request: ModelRequest) => ScriptedTurn | undefined | Promise<ScriptedTurn | undefined>
}

/**
 * Starts a model that runs until it is closed or disposed of. Rejects with `ScriptedModelError`, reason
 * `listen-failed`.
 *
 * @param options the script; without one, every request for an answer gets status 410
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
