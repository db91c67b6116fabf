/**
 * The official reference server, over each of its three transports.
 */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { ContractScript } from "@zain/contract-tests"
import { SdkMcpClient } from "@zain/sdk-client"
import type { ToolCall } from "@zain/sdk-client/AgentProfile"
import { Effect, type Scope } from "effect"
import { serving } from "../../packages/cli/test/doctor/Serving.ts"
import * as Programs from "./Programs.ts"
import * as ToolProfile from "./ToolProfile.ts"

/** The program, for `node`. */
export const program = fileURLToPath(
  new URL("../node_modules/@modelcontextprotocol/server-everything/dist/index.js", import.meta.url),
)

/** The name of each HTTP transport on the command line, and the path at which it is served. */
const served = { "streamable-http": ["streamableHttp", "/mcp"], sse: ["sse", "/sse"] } as const
export type ServedTransport = keyof typeof served

const sayWith = (text: string): ToolCall => ({ name: "echo", arguments: { message: text } })

/** Seconds: longer than any limit of the tests. */
const forever = 600

/** The tool call for a directive of the contract's script. */
const toolFor = (action: ContractScript.Action): ToolCall => {
  switch (action._tag) {
    case "Say":
    case "Partial":
      return sayWith(action.text)
    case "Fail":
      return { name: action.reason, arguments: {} }
    case "Events": {
      const steps = action.pieces.length
      return { name: "trigger-long-running-operation", arguments: { duration: steps / 100, steps } }
    }
    case "Hang":
      return { name: "trigger-long-running-operation", arguments: { duration: forever, steps: 1 } }
    default:
      return sayWith(`no tool for ${action._tag}`)
  }
}

/** The server behind the port. It has no memory, so the session stores the prompts of a conversation. */
export const profile = ToolProfile.make("everything", () => {
  const heard: Array<string> = []
  return {
    call: (prompt) => {
      heard.push(prompt)
      const { arguments: args, name } = toolFor(ContractScript.decide(heard))
      // The server ignores unknown arguments; the tap reads the prompt from the message.
      return { name, arguments: { ...args, prompt } }
    },
    text: (result) => ToolProfile.textOf(result).replace(/^Echo: /, ""),
  }
})

/** Ends a program when its parent process has ended. */
const endWithParent = "data:text/javascript,process.stdin.resume().on('end', () => process.exit())"

/** The capabilities that the server lacks. */
const cannot = {
  "peer-death": "no tool of this server ends it",
  resume: "it is no agent, and keeps no conversation",
  elsewhere: "it is no agent, and keeps no conversation",
  approvals: "it is no agent, and asks for no approval",
  changes: "it is no agent, and asks for no approval",
  reasons: "it is no agent, and asks for no approval",
  tools: "it is no agent, and uses no tools",
  usage: "it is no agent, and uses no tokens",
} as const

/** The subject of the contract suite over each transport. */
export const subject = { provider: profile.provider, make: SdkMcpClient.make(profile), cannot }

/**
 * Starts the server on a free port; it is killed with the Scope.
 *
 * @returns its URL
 */
export const serve = (transport: ServedTransport): Effect.Effect<string, never, Scope.Scope> => {
  const [mode, path] = served[transport]
  return Effect.gen(function* () {
    const port = yield* freePort
    const start = () =>
      spawn(process.execPath, ["--import", endWithParent, program, mode], {
        env: { PATH: process.env["PATH"], PORT: String(port) },
        stdio: ["pipe", "ignore", "pipe"],
      })
    const server = yield* Programs.scoped(start, "SIGKILL")
    yield* Effect.callback<void>((resume) => {
      let said = ""
      server.stderr.on("data", (piece) => {
        said += piece
        if (said.includes(`on port ${port}`)) resume(Effect.void)
      })
      server.once("exit", () => resume(Effect.die(new Error(`The server could not be started: ${said}`))))
    })
    return `http://127.0.0.1:${port}${path}`
  })
}

/** A URL on a port on which nothing listens. */
const freePort = Effect.scoped(
  Effect.map(
    serving(() => {}),
    ({ origin }) => Number(new URL(origin).port),
  ),
)
