/**
 * The official client as a program that calls a tool, and accepts every question: `OfficialCaller SERVER TOOL ARGUMENTS`.
 */
import * as Effect from "effect/Effect"
import * as OfficialClient from "./OfficialClient.ts"

const [server = "", name = "", args = ""] = process.argv.slice(2)
const call = Effect.gen(function* () {
  const client = yield* OfficialClient.open(JSON.parse(server), () => ({ action: "accept" }))
  const params = { name, arguments: JSON.parse(args) }
  yield* Effect.promise(() => client.callTool(params, undefined, { timeout: OfficialClient.timeout }))
})
await Effect.runPromise(Effect.scoped(call))
