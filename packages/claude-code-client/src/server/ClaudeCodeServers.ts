/**
 * The MCP servers that a session hands to a thread.
 *
 * @see Claude Code 2.1.332: measured. `mcp_status` lists servers with their states and tools, and why one failed
 */
import { AgentError } from "@zain/agent-server/AgentError"
import * as HandedServers from "@zain/agent-server/HandedServers"
import { type JsonObject, recordOf, recordsOf, textOf } from "@zain/agent-server/JsonMember"
import { maxEchoLength } from "@zain/command/Clip"
import type { McpEventContent } from "@zain/core/McpEvents"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { ClaudeCodeStartOptions } from "../ClaudeCodeOptions.ts"
import type { SettingsPlace } from "./TurnSettings.ts"

type Servers = ClaudeCodeStartOptions["mcpServers"]

/** The servers of one process. */
export interface ClaudeCodeServers {
  /** The events of the servers that an `init` reports as failed, once each. */
  readonly failed: (init: JsonObject) => Effect.Effect<ReadonlyArray<McpEventContent>, AgentError>
  /** Why a tool may not be used, also one that a server has added since. */
  readonly refusalOf: (tool: string) => string | undefined
}

/** How long servers may take to start, and the pause between two looks at them. */
const [limit, pause] = [Duration.seconds(30), Duration.millis(50)]

const statuses = (ask: SettingsPlace["ask"]) =>
  Effect.map(ask({ subtype: "mcp_status" }), (answer) => recordsOf(recordOf(answer, "response"), "mcpServers"))

/** Makes the servers of a process. */
export const make = (servers: Servers, ask: SettingsPlace["ask"]): ClaudeCodeServers => {
  const reported = new Set<string>()
  return {
    refusalOf: (tool) =>
      isForbidden(servers, tool) ? "The session does not offer this tool of the MCP server." : undefined,
    failed: (init) =>
      Effect.suspend(() => {
        const names = recordsOf(init, "mcp_servers").flatMap((server) => {
          const name = textOf(server, "name") ?? ""
          return isFailed(server) && !reported.has(name) && reported.size < maxFailures ? [name] : []
        })
        for (const name of names) reported.add(name)
        if (names.length === 0) return Effect.succeed([])
        return Effect.map(statuses(ask), (all) =>
          names.map((name) => HandedServers.failed(servers, name, reasonOf(all.find((one) => one["name"] === name)))),
        )
      }),
  }
}

/** How many failures a process reports. */
const maxFailures = 100

const isFailed = (server: JsonObject): boolean => server["status"] === "failed" || server["status"] === "needs-auth"

const reasonOf = (server: JsonObject = {}): string =>
  textOf(server, "error") ??
  (server["status"] === "needs-auth" ? "It requires a login." : "Claude Code gave no reason.")

/**
 * Waits for the servers that are required, or whose tools are limited, and takes the other tools away. Fails with
 * `invalid-config` if a required one does not start.
 */
export const start = Effect.fnUntraced(function* (
  servers: Servers,
  ask: SettingsPlace["ask"],
): Effect.fn.Return<void, AgentError> {
  const due = HandedServers.given(servers).filter(([, { required, tools }]) => required === true || tools !== undefined)
  if (due.length === 0) return
  const look = Effect.map(statuses(ask), (all) =>
    due.map(([name, server]) => ({ name, server, status: all.find((one) => one["name"] === name) ?? {} })),
  )
  const isPending = (all: Effect.Success<typeof look>) => all.some(({ status }) => status["status"] === "pending")
  const settled = Effect.gen(function* () {
    for (;;) {
      const found = yield* look
      if (!isPending(found)) return found
      yield* Effect.sleep(pause)
    }
  })
  const found = yield* Effect.timeoutOrElse(settled, { duration: limit, orElse: () => look })
  const missing = found.find(({ server, status }) => server.required === true && status["status"] !== "connected")
  if (missing !== undefined) {
    const { name, status } = missing
    const why = status["status"] === "pending" ? `It did not start within ${Duration.format(limit)}.` : reasonOf(status)
    return yield* Effect.fail(HandedServers.notStarted("Claude Code", servers, `${name}: ${why}`))
  }
  const deny = found.flatMap(({ name, server, status }) =>
    server.tools === undefined
      ? []
      : recordsOf(status, "tools").flatMap((tool) => {
          const own = textOf(tool, "name") ?? ""
          return server.tools?.includes(own) === true ? [] : [`mcp__${name}__${own}`]
        }),
  )
  if (deny.length === 0) return
  const answer = yield* ask({ subtype: "apply_flag_settings", settings: { permissions: { deny } } })
  const { error } = answer
  if (error === undefined) return
  const message = `Claude Code cannot limit the tools of \`mcpServers\`: ${String(error).slice(0, maxEchoLength)}`
  return yield* Effect.fail(new AgentError({ reason: "invalid-config", message }))
})

/** Whether a tool is one of a server whose tools are limited to others. */
const isForbidden = (servers: Servers, tool: string): boolean =>
  HandedServers.given(servers).some(([name, { tools }]) => {
    const own = `mcp__${name}__`
    return tools !== undefined && tool.startsWith(own) && !tools.includes(tool.slice(own.length))
  })
