/**
 * Errors of Codex and Claude Code, and of adapters with a server of another profile.
 */
import { writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
import { fakeCodex } from "@zain/codex-client/fake"
import { FakeAgent } from "@zain/contract-tests"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import type { McpRequest } from "@zain/core/McpRequest"
import * as SdkMcpClient from "@zain/sdk-client/SdkMcpClient"
import { directory } from "@zain/testkit/Directory"
import { Effect, Schema } from "effect"
import { type Provocations, pathWith, profile, refused, silence, tool, unanswered, wire } from "./MyAgent.ts"

const { stdio, streamableHttp } = McpConnectionConfig

const programOf = (agent: string) => createRequire(import.meta.url).resolve(`@zain/${agent}-client/zain-${agent}-mcp`)

/** The command of `local()`, without agents on PATH. */
const withoutCodex = (...options: ReadonlyArray<string>) =>
  stdio({
    command: process.execPath,
    args: [programOf("codex"), ...options],
    env: { PATH: "/nowhere" },
  })

/** A Codex that prints this version. */
const codexOf = (version: string) =>
  Effect.map(pathWith("codex", `#!/bin/sh\necho codex-cli ${version}\n`), (PATH) =>
    CodexTransportFactory.native({ env: { PATH } }),
  )

const native = CodexMcpClientAdapter.make({ profile: "native" })

/** An adapter for Claude Code's own server, which gives these results. */
const claude = (...results: ReadonlyArray<unknown>) =>
  ClaudeCodeMcpClientAdapter.make({ profile: "native", connect: wire("claude/tengu", results) })

const meeting = (name: string) => CodexMcpClientAdapter.make({ connect: wire(name) })

const text = (value: unknown) => ({ content: [{ type: "text", text: JSON.stringify(value) }] })

const begun = text({ agentId: "a1", content: [{ type: "text", text: "Hello." }] })

/** A second turn of Claude Code with this result. */
const later = (result: unknown) =>
  unanswered(ClaudeCodeTransportFactory.native(), ["Hello", "Go on"], claude(begun, result))

/** A turn of Codex behind the agent server with this result. */
const answered = (result: unknown) =>
  unanswered(
    stdio({ command: "my-codex" }),
    ["Go"],
    CodexMcpClientAdapter.make({ connect: wire("zain-codex-mcp", [result]) }),
  )

const notResumed = (why: string) => text({ success: false, message: `Agent "a1" could not be resumed: ${why}` })

/** The agent server of Claude Code, and its user's settings. The home has no conversation, and no state can be written there. */
const inHome = (providerOptions: object, settings = "{}") => {
  const start = Effect.map(directory, (home) => {
    const file = join(home, "settings.json")
    writeFileSync(file, settings)
    return stdio({
      command: process.execPath,
      args: [programOf("claude-code"), "--command", process.execPath],
      env: { HOME: home, CLAUDE_CONFIG_DIR: home, XDG_STATE_HOME: file, PATH: "/nowhere" },
      providerOptions: { ...providerOptions },
    })
  })
  return refused(start, ClaudeCodeMcpClientAdapter.make())
}

const another = "zain-claude-code-mcp"
const options = { sandbox: "none" as "read-only" }

/** What Codex does with a request. */
const ofCodex = Effect.fnUntraced(function* (beside: Partial<McpRequest>) {
  const home = yield* directory
  const { command } = yield* FakeAgent.install(fakeCodex, home)
  const client = yield* CodexMcpClientAdapter.make()
  const id = yield* client.openSession(CodexTransportFactory.local({ command, env: { HOME: home } }))
  return yield* Effect.flip(client.execute(id, { content: "Go", ...beside }))
})

export const provocations: Provocations = {
  "an unknown `threadId`": inHome({ threadId: "0b5b8a4c-7f0e-4d6a-9c1e-2f3a4b5c6d7e" }),
  "an option that cannot be remembered": inHome({ disallowedTools: ["Bash"] }),
  "a settings file with a comma too many": inHome({}, '{ "permissions": { "deny": ["Bash"] }, }'),
  "a program of `local()` that is not there": refused(
    stdio({ command: "zain-codex-mcp", env: { PATH: "/nowhere" } }),
    CodexMcpClientAdapter.make(),
  ),
  "a missing Codex behind the agent server": refused(withoutCodex(), CodexMcpClientAdapter.make()),
  "a `--command` that is a directory": refused(withoutCodex("--command", "/usr"), CodexMcpClientAdapter.make()),
  "a `--command` that is no program": refused(withoutCodex("--command", "/dev/null"), CodexMcpClientAdapter.make()),
  "a Codex without an MCP server": refused(codexOf("0.169.0"), native),
  "the agent's own server, recognised by its command": refused(
    CodexTransportFactory.native(),
    CodexMcpClientAdapter.make(),
  ),
  "the agent's own server, recognised by its name": refused(
    stdio({ command: "my-codex" }),
    meeting("codex-mcp-server"),
  ),
  "the agent server given to a native adapter": refused(
    stdio({ command: "zain-codex-mcp" }),
    CodexMcpClientAdapter.make({ profile: "native", connect: wire("zain-codex-mcp") }),
  ),
  "tools of one's own for a server without them": refused(
    { ...stdio({ command: "my-codex" }), tools: [tool] },
    meeting("zain-codex-mcp"),
  ),
  "another agent's server": refused(stdio({ command: another }), meeting(another)),
  "Claude Code's own server over HTTP": refused(
    streamableHttp({ url: "https://agents.example/mcp" }),
    ClaudeCodeMcpClientAdapter.make({ profile: "native", connect: silence }),
  ),
  "a wrong option": refused(CodexTransportFactory.local({ options }), CodexMcpClientAdapter.make()),
  "a missing `cwd` option": refused(
    CodexTransportFactory.local({ options: { cwd: "/no/such/project" } }),
    CodexMcpClientAdapter.make({ connect: silence }),
  ),
  "an option of a provider without options": refused(
    stdio({ command: "my-agent", providerOptions: { model: "small" } }),
    SdkMcpClient.make({ ...profile, options: Schema.Struct({}) }),
  ),
  "a result without an answer": answered({}),
  "structured content of another shape": answered({
    ...text("Done."),
    structuredContent: { content: { text: "Done." } },
  }),
  "a schema that Codex cannot be given": ofCodex({ output: { type: "object" } }),
  "an option of one turn that Codex does not have": ofCodex({ providerOptions: { maxTurns: 3 } }),
  "an answer of Claude Code that is no JSON": unanswered(
    ClaudeCodeTransportFactory.native(),
    ["Hello"],
    claude({ content: [{ type: "text", text: "Hello." }] }),
  ),
  "a reply of Claude Code that no hook reports": later(text({ success: true })),
  "a Claude Code that still works on a cancelled turn": later(notResumed("it is already running.")),
  "a conversation that is unknown to Claude Code": later(notResumed("no transcript found.")),
}
