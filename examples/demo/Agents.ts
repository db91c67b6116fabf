/**
 * The two agents of the demo: the pinned binaries in front of scripted models, or the user's own.
 */
import { mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
import type { McpClientAdapter, McpConnectionConfig } from "@zain/core"
import { ScriptedModel } from "@zain/scripted-model"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Model from "./Model.ts"

/** One agent: how to make its client, how to reach it, and the directory it works in. */
export interface Agent {
  readonly make: Effect.Effect<McpClientAdapter, never, Scope.Scope>
  readonly config: McpConnectionConfig
  readonly directory: string
}

/** Which program an agent is, and its environment beside what it has anyway. */
interface Program {
  readonly command?: string
  readonly env?: Readonly<Record<string, string>>
}

const directory = Effect.acquireRelease(
  Effect.promise(async () => realpath(await mkdtemp(join(tmpdir(), "zain-demo-")))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true, maxRetries: 5 })),
)

/** Both in an empty directory of their own, where they may read, and must ask before they write. */
const agents = Effect.fnUntraced(function* (codex: Program, claudeCode: Program) {
  const forCodex = yield* directory
  const forClaudeCode = yield* directory
  const careful = { sandbox: "read-only", approvalPolicy: "on-request" } as const
  const found: ReadonlyArray<Agent> = [
    {
      make: CodexMcpClientAdapter.make(),
      config: CodexTransportFactory.local({ ...codex, options: { ...careful, cwd: forCodex } }),
      directory: forCodex,
    },
    {
      make: ClaudeCodeMcpClientAdapter.make(),
      config: ClaudeCodeTransportFactory.local({ ...claudeCode, options: { cwd: forClaudeCode } }),
      directory: forClaudeCode,
    },
  ]
  return found
})

/** The user's own agents, with the user's own logins. */
export const live = agents({}, {})

const binary = (name: string) => fileURLToPath(new URL(`../node_modules/.bin/${name}`, import.meta.url))

/** The pinned binaries, each in a private home, in front of a scripted model. */
export const scripted = Effect.gen(function* () {
  const model = yield* ScriptedModel.make({ respond: Model.respond })
  const codex = yield* model.codex()
  const claudeCode = yield* model.claudeCode()
  return yield* agents({ command: binary("codex"), env: codex.env }, { command: binary("claude"), env: claudeCode.env })
})
