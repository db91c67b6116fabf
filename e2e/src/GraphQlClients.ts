/**
 * Third-party clients of GraphQL with `zain-editor-mcp blender http`.
 */
import { readFileSync } from "node:fs"
import { createGraphiQLFetcher, fetcherReturnToPromise } from "@graphiql/toolkit"
import { Client, fetchExchange } from "@urql/core"
import * as Effect from "effect/Effect"
import type { GraphQLSchema, IntrospectionOptions, IntrospectionQuery } from "graphql"
import { buildClientSchema, getIntrospectionQuery } from "graphql"
import { run } from "../../packages/editor-server/testing/command/Started.ts"
import { until } from "./Until.ts"

/** What the server prints when it listens. */
interface Listening {
  readonly url: string
  readonly tokenFile: string
}

/**
 * Starts the built command. Its clients read the token that it has made.
 *
 * - `ask`: a document, by urql, whose answer has `data`, or `error` with the errors of the server
 * - `schema`: what GraphiQL makes of the answer to its own introspection query
 */
export const start = Effect.fnUntraced(function* (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
) {
  const { errors, lines } = yield* run(["blender", "http", "--port", "0", "--json", ...args], env)
  yield* until(() => lines.length > 0, errors)
  const { tokenFile, url: mcp } = JSON.parse(lines[0] ?? "") as Listening
  const url = new URL("/graphql", mcp).href
  const headers = { Authorization: `Bearer ${readFileSync(tokenFile, "utf8").trim()}` }
  // By default it sends short queries with GET.
  const client = new Client({ url, exchanges: [fetchExchange], fetchOptions: { headers }, preferGetMethod: false })
  const ask = <Data>(document: string, variables: Readonly<Record<string, unknown>> = {}) =>
    Effect.promise(() => {
      const isMutation = /^\s*mutation\b/.test(document)
      return isMutation
        ? client.mutation<Data>(document, variables).toPromise()
        : client.query<Data>(document, variables).toPromise()
    })
  const fetcher = createGraphiQLFetcher({ url, headers, fetch })
  const schema = (options: IntrospectionOptions): Effect.Effect<GraphQLSchema> =>
    Effect.promise(async () => {
      const request = { query: getIntrospectionQuery(options), operationName: "IntrospectionQuery" }
      const { data } = (await fetcherReturnToPromise(fetcher(request, {}))) as { readonly data: IntrospectionQuery }
      return buildClientSchema(data)
    })
  return { url, ask, schema }
})
