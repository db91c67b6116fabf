/**
 * What goes wrong with Codex and Claude Code, and with adapters that meet a server that is not theirs.
 */
import { writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import * as SdkMcpClient from "@zain/sdk-client/SdkMcpClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { directory, profile, refused, silence, unanswered, wire } from "./MyAgent.ts"
import { type Provocation, provoke } from "./Provocation.ts"

const { stdio, streamableHttp } = McpConnectionConfig

const programOf = (agent: string) => createRequire(import.meta.url).resolve(`@zain/${agent}-client/zain-${agent}-mcp`)

/** What `local()` starts, with nothing on PATH. */
const withoutCodex = (...options: ReadonlyArray<string>) =>
  stdio({
    command: process.execPath,
    args: [programOf("codex"), ...options],
    env: { PATH: "/nowhere" },
  })

/** A Codex that tells its version. */
const codexOf = (version: string) =>
  Effect.map(directory, (home) => {
    writeFileSync(join(home, "codex"), `#!/bin/sh\necho codex-cli ${version}\n`, { mode: 0o700 })
    return CodexTransportFactory.native({ env: { PATH: `${home}:/usr/bin:/bin` } })
  })

const meeting = (name: string) => CodexMcpClientAdapter.make({ connect: wire(name) })

const text = (value: unknown) => ({ content: [{ type: "text", text: JSON.stringify(value) }] })

const begun = text({ agentId: "a1", content: [{ type: "text", text: "Hello." }] })

/** A second turn of Claude Code that is answered so. */
const later = (result: unknown) =>
  unanswered(
    ClaudeCodeTransportFactory.native(),
    ["Hello", "Go on"],
    ClaudeCodeMcpClientAdapter.make({ profile: "native", connect: wire("claude/tengu", [begun, result]) }),
  )

const notResumed = (why: string) => text({ success: false, message: `Agent "a1" could not be resumed: ${why}` })

/** An agent server with a home that holds no conversation, asked to go on with one. */
const forgotten = Effect.map(directory, (home) =>
  stdio({
    command: process.execPath,
    args: [programOf("claude-code"), "--command", process.execPath],
    env: { HOME: home, PATH: "/nowhere" },
    providerOptions: { threadId: "0b5b8a4c-7f0e-4d6a-9c1e-2f3a4b5c6d7e" },
  }),
)

export const provocations: ReadonlyArray<Provocation> = [
  provoke(
    "a conversation that the agent does not have",
    Effect.flatMap(forgotten, (config) => refused(config, ClaudeCodeMcpClientAdapter.make())),
  ),
  provoke("no Codex behind the agent server", refused(withoutCodex(), CodexMcpClientAdapter.make())),
  provoke(
    "no program behind the agent server",
    refused(withoutCodex("--command", "/dev/null"), CodexMcpClientAdapter.make()),
  ),
  provoke(
    "a Codex without MCP server",
    Effect.flatMap(codexOf("0.169.0"), (config) => refused(config, CodexMcpClientAdapter.make({ profile: "native" }))),
  ),
  provoke(
    "the agent's own server, by its command",
    refused(CodexTransportFactory.native(), CodexMcpClientAdapter.make()),
  ),
  provoke("the agent's own server, by its name", refused(stdio({ command: "my-codex" }), meeting("codex-mcp-server"))),
  provoke(
    "the agent server, to an adapter for the agent's own",
    refused(
      stdio({ command: "zain-codex-mcp" }),
      CodexMcpClientAdapter.make({ profile: "native", connect: wire("zain-codex-mcp") }),
    ),
  ),
  provoke(
    "another agent's server",
    refused(stdio({ command: "zain-claude-code-mcp" }), meeting("zain-claude-code-mcp")),
  ),
  provoke(
    "Claude Code's own server over HTTP",
    refused(
      streamableHttp({ url: "https://agents.example/mcp" }),
      ClaudeCodeMcpClientAdapter.make({ profile: "native", connect: silence }),
    ),
  ),
  provoke(
    "a wrong option",
    refused(CodexTransportFactory.local({ options: { sandbox: "none" as "read-only" } }), CodexMcpClientAdapter.make()),
  ),
  provoke(
    "a directory to work in that is not there",
    refused(
      CodexTransportFactory.local({ options: { cwd: "/no/such/project" } }),
      CodexMcpClientAdapter.make({ connect: silence }),
    ),
  ),
  provoke(
    "an option where there are none",
    refused(
      stdio({ command: "my-agent", providerOptions: { model: "small" } }),
      SdkMcpClient.make({ ...profile, options: Schema.Struct({}) }),
    ),
  ),
  provoke(
    "a result without an answer",
    unanswered(
      stdio({ command: "my-codex" }),
      ["Go"],
      CodexMcpClientAdapter.make({ connect: wire("zain-codex-mcp", [{}]) }),
    ),
  ),
  provoke(
    "structured content of another shape",
    unanswered(
      stdio({ command: "my-codex" }),
      ["Go"],
      CodexMcpClientAdapter.make({
        connect: wire("zain-codex-mcp", [{ ...text("Done."), structuredContent: { content: { text: "Done." } } }]),
      }),
    ),
  ),
  provoke(
    "an answer of Claude Code's that is no JSON",
    unanswered(
      ClaudeCodeTransportFactory.native(),
      ["Hello"],
      ClaudeCodeMcpClientAdapter.make({
        profile: "native",
        connect: wire("claude/tengu", [{ content: [{ type: "text", text: "Hello." }] }]),
      }),
    ),
  ),
  provoke("a reply of Claude Code's that no hook hands over", later(text({ success: true }))),
  provoke("a Claude Code that is not done yet", later(notResumed("it is already running."))),
  provoke("a conversation that Claude Code does not know", later(notResumed("no transcript found."))),
]
