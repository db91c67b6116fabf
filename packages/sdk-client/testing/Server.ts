import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { McpClientAdapter } from "@zain/core/McpClientAdapter"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import { isAlive } from "@zain/testkit/Alive"
import { Effect, Schema } from "effect"
import { supports } from "../../core/testing/HeldAgent.ts"
import type { AgentProfile } from "../src/AgentProfile.ts"
import * as SdkMcpClient from "../src/SdkMcpClient.ts"
import * as SessionHost from "../src/SessionHost.ts"

const program = fileURLToPath(new URL("fixtures/server.mjs", import.meta.url))

/** An agent without options and without events. */
export const plain: Omit<AgentProfile<object>, "open"> = {
  provider: "test-server",
  supports,
  options: Schema.Struct({}),
  environment: [],
  event: () => undefined,
}

/** A profile whose `read` throws. */
export const throwing: AgentProfile<object> = {
  ...plain,
  open: (target) =>
    Effect.succeed({
      target,
      call: (name) => ({ name, arguments: {} }),
      read: () => {
        throw new Error("a mistake in a profile")
      },
    }),
}

/** An agent whose prompts are tool calls: the tool's name, then its arguments as JSON. */
const profile: AgentProfile<{ readonly model?: string }> = {
  ...plain,
  options: Schema.Struct({ model: Schema.optionalKey(Schema.String) }),
  open: (target) =>
    Effect.map(SessionHost.directory, () => ({
      target,
      call: (prompt) => {
        const [, name = "", args] = /^(\S+)\s*(.*)$/s.exec(prompt) ?? []
        return { name, arguments: args ? JSON.parse(args) : {} }
      },
      read: ({ content, isError }) =>
        Effect.succeed({ content: content?.[0]?.text ?? "", isError: isError === true, threadId: "thread" }),
      interrupted: () => "thread",
    })),
}

export const client = SdkMcpClient.make(profile)

/** A connection to the server of `fixtures`, with these faults. */
export const config = (
  faults: ReadonlyArray<string> = [],
  options: Omit<McpConnectionConfig.StdioOptions, "command"> = {},
): McpConnectionConfig.McpConnectionConfig =>
  McpConnectionConfig.stdio({
    connectTimeout: "4 minutes",
    ...options,
    command: process.execPath,
    args: [program, ...faults],
  })

/** A client and one open session. */
export const session = Effect.fnUntraced(function* (...given: Parameters<typeof config>) {
  const adapter: McpClientAdapter = yield* client
  const id = yield* adapter.openSession(config(...given))
  return { adapter, id, ask: (content: string) => adapter.execute(id, { content }) }
})

/** Sets variables of this program's environment until the Scope closes. */
export const environment = (variables: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const outer = Object.keys(variables).map((name) => [name, process.env[name]] as const)
      Object.assign(process.env, variables)
      return outer
    }),
    (outer) =>
      Effect.sync(() => {
        for (const [name, value] of outer) {
          if (value === undefined) delete process.env[name]
          else process.env[name] = value
        }
      }),
  )

/** The processes with this in their environment or, as a session's guard has it, among their arguments. */
export const processesWith = (text: string): ReadonlyArray<{ readonly pid: number; readonly command: string }> =>
  readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    const command = read(`/proc/${name}/cmdline`)
    if (!`${read(`/proc/${name}/environ`)}${command}`.includes(text)) return []
    return isAlive(Number(name)) ? [{ pid: Number(name), command }] : []
  })

const read = (path: string): string => {
  try {
    return readFileSync(path, "latin1")
  } catch {
    return ""
  }
}
