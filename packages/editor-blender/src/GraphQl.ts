/**
 * Executes documents of GraphQL over the bridge.
 */
import { isRecord } from "@zain/process/JsonRpc"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import {
  type DocumentNode,
  defaultFieldResolver,
  execute as executeDocument,
  GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLFormattedError,
  getOperationAST,
  OperationTypeNode,
  parse,
  validate,
} from "graphql"
import { schema } from "./BlenderSchema.ts"
import { type BridgeFailure, unexpected } from "./Bridge.ts"
import * as ErrorCodes from "./ErrorCodes.ts"
import type { Services } from "./Operations.ts"
import * as QueryBounds from "./QueryBounds.ts"
import { type Context, resolvers } from "./Resolvers.ts"
import * as SceneReads from "./SceneReads.ts"

export interface GraphQlRequest {
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined
  readonly operationName?: string | null | undefined
}

/** The request in a body, or what is wrong with it. */
export const requestIn = (body: unknown): GraphQlRequest | string => {
  if (!isRecord(body)) return "The body is not an object with `query`, `variables` and `operationName`."
  const { operationName = null, query, variables = null } = body
  if (typeof query !== "string") return "`query` is not a string."
  if (variables !== null && !isRecord(variables)) return "`variables` is not an object."
  if (operationName !== null && typeof operationName !== "string") return "`operationName` is not a string."
  return { query, variables, operationName }
}

/** What is answered: without `data`, nothing was executed. */
export interface GraphQlResponse {
  readonly data?: unknown
  readonly errors?: ReadonlyArray<GraphQLFormattedError>
}

/** How many errors of a document are reported. */
const maxErrors = 20

/**
 * Executes one operation. Reads share requests; mutations are carried out in the order of the document, each when the one
 * before it has ended. An interruption ends what is under way, and begins nothing more.
 *
 * @param isReadOnly whether mutations are refused
 */
export const execute = (
  services: Services,
  request: GraphQlRequest,
  isReadOnly = false,
): Effect.Effect<GraphQlResponse> => {
  const checked = read(request, isReadOnly)
  if (Result.isFailure(checked)) return Effect.succeed(checked.failure)
  const document = checked.success
  const operation = getOperationAST(document, request.operationName)
  if (operation?.operation === OperationTypeNode.QUERY) services.stats.query()
  return Effect.scoped(
    Effect.gen(function* () {
      const fork = yield* FiberSet.makeRuntimePromise<never, Exit.Exit<unknown, BridgeFailure>, never>()
      const run: SceneReads.Run = async (effect) => {
        const exit = (await fork(Effect.exit(effect))) as Exit.Exit<never, BridgeFailure>
        if (Exit.isSuccess(exit)) return exit.value
        const failure = Option.getOrElse(Cause.findErrorOption(exit.cause), () => unexpected(Cause.squash(exit.cause)))
        throw errorOf(failure)
      }
      let last: Promise<unknown> = Promise.resolve()
      const context: Context = {
        services,
        run,
        completed: [],
        listed: 0,
        lists: Promise.resolve(),
        reads: SceneReads.make(services.bridge, run),
        inOrder: (effect) => {
          const next = last.then(() => run(effect))
          last = next.catch(() => {})
          return next
        },
      }
      const execution = Effect.tryPromise({
        try: async (abortSignal) =>
          executeDocument({
            schema,
            document,
            contextValue: context,
            variableValues: request.variables,
            operationName: request.operationName,
            fieldResolver,
            abortSignal,
          }),
        catch: (cause) => errorOf(unexpected(cause)),
      })
      const result = yield* Effect.catch(execution, (error) => Effect.succeed({ data: undefined, errors: [error] }))
      const { data, errors } = result
      for (const [path, value] of context.completed) place(data, path, value)
      return {
        ...(data === undefined ? {} : { data }),
        ...(errors === undefined ? {} : { errors: errors.map((error) => formatted(error, data === undefined)) }),
      }
    }),
  )
}

/** Places a value in an answer, unless an error has taken away what it belongs to. */
const place = (data: unknown, path: ReadonlyArray<string | number>, value: unknown): void => {
  let parent = data
  for (const key of path.slice(0, -1)) parent = isRecord(parent) ? parent[key] : undefined
  const key = path.at(-1)
  if (isRecord(parent) && key !== undefined) (parent as Record<string, unknown>)[key] = value
}

const fieldResolver: GraphQLFieldResolver<unknown, Context> = (source, args, context, info) =>
  (resolvers[info.parentType.name]?.[info.fieldName] ?? defaultFieldResolver)(source, args, context, info)

const errorOf = (failure: BridgeFailure): GraphQLError => {
  const { extensions, message } = ErrorCodes.ofGraphQl(failure)
  return new GraphQLError(message, { extensions })
}

/** An error that GraphQL found itself gets a code too: of the request before it is executed, then of what the bridge said. */
const formatted = (error: GraphQLError, isOfRequest: boolean): GraphQLFormattedError => {
  if (error.extensions["code"] !== undefined) return error.toJSON()
  const code = isOfRequest ? "INVALID_VALUE" : "INTERNAL_SERVER_ERROR"
  return { ...error.toJSON(), extensions: { ...errorOf({ code, message: error.message }).extensions } }
}

/** A document that is not executed. */
const refuse = (
  code: ErrorCodes.ErrorCode,
  ...errors: ReadonlyArray<GraphQLError>
): Result.Result<never, GraphQlResponse> =>
  Result.fail({
    errors: errors.map((error) => ({
      ...error.toJSON(),
      extensions: { ...errorOf({ code, message: error.message }).extensions },
    })),
  })

const read = (
  { operationName, query }: GraphQlRequest,
  isReadOnly: boolean,
): Result.Result<DocumentNode, GraphQlResponse> => {
  const { length } = query
  if (length > QueryBounds.maxLength) {
    const message = `The query has ${length} characters: ${QueryBounds.maxLength} is the limit. Give long values as variables.`
    return refuse("INVALID_INPUT", new GraphQLError(message))
  }
  let document: DocumentNode
  try {
    document = parse(query, { maxLexicalTokens: QueryBounds.maxTokens, maxComments: QueryBounds.maxTokens })
  } catch (cause) {
    // Brackets within brackets, thousands of them, are more than the parser's stack holds.
    return refuse("INVALID_INPUT", cause instanceof GraphQLError ? cause : new GraphQLError("The query is too deep."))
  }
  const excess = QueryBounds.excess(document)
  if (excess !== undefined) return refuse("INVALID_INPUT", new GraphQLError(excess))
  const problems = validate(schema, document, undefined, { maxErrors: maxErrors })
  if (problems.length > 0) return refuse("VALIDATION_ERROR", ...problems)
  if (!isReadOnly || getOperationAST(document, operationName)?.operation !== OperationTypeNode.MUTATION) {
    return Result.succeed(document)
  }
  return refuse("PERMISSION_DENIED", new GraphQLError("Mutations are rejected: this only reads."))
}
