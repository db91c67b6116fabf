/**
 * Records a server's answers to a fixed conversation, byte for byte.
 */
import { PassThrough } from "node:stream"
import * as Messages from "@zain/testkit/Messages"
import * as StdioTransport from "@zain/tool-server/StdioTransport"
import type { ToolServer } from "@zain/tool-server/ToolServer"
import { Effect } from "effect"
import { eventually } from "./TestServer.ts"

const initialize = (protocolVersion: string) =>
  Messages.request("initialize", "initialize", {
    protocolVersion,
    capabilities: {},
    clientInfo: { name: "transcript", version: "0" },
  })

const early = [
  Messages.request(1, "server/discover"),
  Messages.request(2, "tools/list"),
  Messages.call(3, "no_such_tool"),
  Messages.request(4, "resources/list"),
  Messages.request(5, "initialize"),
  Messages.request(6, "ping"),
  "{",
]

const later = [
  Messages.initialized,
  Messages.request(10, "tools/list"),
  Messages.request(11, "tools/list", { cursor: 7 }),
  Messages.request(12, "resources/list"),
  Messages.request(13, "resources/templates/list"),
  Messages.request(14, "resources/read", { uri: "a:b" }),
  Messages.request(15, "prompts/list"),
  Messages.request(16, "prompts/get", { name: "a" }),
  Messages.request(17, "logging/setLevel", { level: "debug" }),
  Messages.request(18, "completion/complete", {}),
  Messages.request(19, "unknown/method"),
  initialize("2025-06-18"),
  "[]",
  `[${Messages.request(20, "ping")}]`,
  "nonsense",
  Messages.call(21, "no_such_tool"),
  Messages.request(22, "tools/call", { name: 7 }),
]

/** @param calls requests to the server's own tools; the last has the id `last` */
export const of = Effect.fnUntraced(function* (server: ToolServer, calls: ReadonlyArray<string>) {
  const spoken: Array<string> = []
  for (const version of ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2099-01-01"]) {
    const [input, output] = [new PassThrough(), new PassThrough()]
    let heard = ""
    output.on("data", (chunk) => {
      heard += chunk
    })
    const lines = [...early, initialize(version), ...later, ...calls]
    yield* Effect.scoped(
      Effect.gen(function* () {
        yield* server.session(StdioTransport.make(input, output))
        // One at a time, so that the record does not depend on the order of answers.
        for (const line of lines) {
          const before = heard.length
          input.write(`${line}\n`)
          if (line !== Messages.initialized) yield* eventually(() => heard.length > before && heard.endsWith("\n"))
        }
      }),
    )
    spoken.push(`${version}\n${heard}`)
  }
  return spoken.join("\n")
})
