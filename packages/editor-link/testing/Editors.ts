/**
 * A server of editors in the same process, and the official SDK's client of it.
 */
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { type CallToolResult, ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js"
import type { HttpServeError } from "@zain/tool-server/http/HttpServeError"
import type { ToolServer } from "@zain/tool-server/ToolServer"
import { Duration, Effect, type Scope } from "effect"
import * as InMemory from "../../tool-server/testing/InMemory.ts"
import type { EditorProfile } from "../src/domain/EditorProfile.ts"
import * as FakeConnection from "../src/fake/FakeConnection.ts"
import * as Carrier from "../src/infrastructure/link/Carrier.ts"
import type { Target } from "../src/infrastructure/link/Target.ts"
import * as EditorServer from "../src/infrastructure/mcp/EditorServer.ts"
import type { EditorSettings } from "../src/infrastructure/mcp/EditorSettings.ts"

/** What is under way in this process goes on. */
export const turns = Effect.repeat(FakeConnection.turn, { times: 20 })

export const server = (profile: EditorProfile, editors: ReadonlyArray<Target>, given: Partial<EditorSettings> = {}) =>
  EditorServer.make(profile, {
    version: "0",
    editors,
    connect: (target) => Carrier.tcp(profile, target, given.maxFrame),
    timeout: undefined,
    longTimeout: Duration.minutes(15),
    connectWait: Duration.seconds(2),
    syncWait: Duration.seconds(8),
    projectRoot: undefined,
    isDevelopment: false,
    clientName: "mcp-client",
    clientRules: [],
    toolNames: "auto",
    cacheDirectory: undefined,
    select: (tools) => tools,
    log: () => {},
    clientLogLevel: "warn",
    mask: (text) => text,
    ...given,
  })

/** How a client reaches a server. */
export type Reach = (served: ToolServer) => Effect.Effect<Transport, HttpServeError, Scope.Scope>

/** In the same process. */
export const inMemory: Reach = (served) => Effect.map(InMemory.join(served), ({ transport }) => transport)

/** A client of this name; `changes`: how often it was notified that the tools changed. */
export const client = Effect.fnUntraced(function* (
  served: ToolServer,
  name = "test-client",
  reach: Reach = inMemory,
  version = "1",
) {
  const transport = yield* Effect.orDie(reach(served))
  const sdk = new Client({ name, version })
  const seen = { changes: 0 }
  sdk.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    seen.changes++
  })
  const call = yield* InMemory.connect(sdk, transport)
  const names = Effect.promise(async () => (await sdk.listTools()).tools.map((tool) => tool.name))
  const tools = Effect.promise(async () => (await sdk.listTools()).tools)
  return { sdk, call, names, tools, seen }
})

export const textOf = ({ content }: CallToolResult): string => {
  const [first] = content
  return first?.type === "text" ? first.text : ""
}

/** What a failed result says to programs. */
export const errorOf = ({ structuredContent }: CallToolResult): Readonly<Record<string, unknown>> =>
  (structuredContent?.["error"] ?? {}) as Readonly<Record<string, unknown>>
