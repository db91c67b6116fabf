import { fileURLToPath } from "node:url"
import type { McpClientAdapter } from "@zain/core/McpClientAdapter"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { AgentProfile } from "../src/AgentProfile.ts"
import * as SdkMcpClient from "../src/SdkMcpClient.ts"
import * as SessionHost from "../src/SessionHost.ts"

const program = fileURLToPath(new URL("fixtures/server.mjs", import.meta.url))

/** An agent whose prompts are tool calls: the tool's name, then its arguments as JSON. */
const profile: AgentProfile<{ readonly model?: string }> = {
  provider: "test-server",
  supports: { streaming: true, approvals: false, cancelKeepsConversation: true, failureKeepsConversation: true },
  options: Schema.Struct({ model: Schema.optionalKey(Schema.String) }),
  environment: ["ZAIN_TEST_ALLOWED"],
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
  event: ({ params }) => ({ _tag: "TextDelta", text: String((params as { progress: number }).progress) }),
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
export const session = (...given: Parameters<typeof config>) =>
  Effect.gen(function* () {
    const adapter: McpClientAdapter = yield* client
    const id = yield* adapter.openSession(config(...given))
    return { adapter, id, ask: (content: string) => adapter.execute(id, { content }) }
  })

/** Whether a process is there and no zombie. */
export const isAlive = async (pid: number): Promise<boolean> => {
  const { readFile } = await import("node:fs/promises")
  if (process.platform !== "linux") {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "")
  return stat !== "" && !/\) [ZX] /.test(stat)
}

/** The number after a word that the server printed to its standard error. */
export const numberAfter = (word: string, text: string | undefined): number =>
  Number(new RegExp(`${word} (\\d+)`).exec(text ?? "")?.[1])
