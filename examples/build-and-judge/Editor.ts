/**
 * One Blender for several agents: an editor server over HTTP, and the options with which each agent uses it.
 */
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import * as Effect from "effect/Effect"

/**
 * An empty directory that only its user can read. It is not below `/tmp`: Claude Code also starts the servers of each
 * `.mcp.json` above a trusted directory, and other users can write one to `/tmp`.
 */
const directory = Effect.acquireRelease(
  Effect.promise(async () => {
    const parent = join(homedir(), ".cache")
    await mkdir(parent, { recursive: true })
    return realpath(await mkdtemp(join(parent, "zain-blender-")))
  }),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true, maxRetries: 5 })),
)

/** Starts `zain-editor-mcp`, which ends with the Scope, and returns its URL. */
const serve = Effect.fn(function* (args: ReadonlyArray<string>) {
  const server = yield* Effect.acquireRelease(
    Effect.sync(() => spawn("zain-editor-mcp", args, { stdio: ["ignore", "pipe", "inherit"] })),
    (server) =>
      Effect.promise(async () => {
        if (server.pid === undefined || server.exitCode !== null || server.signalCode !== null) return
        server.kill()
        await once(server, "exit")
      }),
  )
  return yield* Effect.callback<string, Error>((resume) => {
    createInterface({ input: server.stdout }).once("line", (line) => resume(Effect.succeed(JSON.parse(line).url)))
    server.once("exit", () => resume(Effect.fail(new Error("zain-editor-mcp exited before it listened."))))
    server.once("error", () =>
      resume(Effect.fail(new Error("zain-editor-mcp was not found: npm install --global @zain/editor-server"))),
    )
  })
})

/**
 * Starts the editor server and returns the options of both agents. Claude Code reads the server from `.mcp.json` of the
 * trusted directory; Codex receives it, token included, in a message of its protocol, not as an argument.
 *
 * @param blender options of `zain-editor-mcp blender`, such as `--launch`
 */
export const make = Effect.fn(function* (blender: ReadonlyArray<string>) {
  const cwd = yield* directory
  const token = randomBytes(32).toString("base64url")
  const tokenFile = join(cwd, "token")
  yield* Effect.promise(() => writeFile(tokenFile, token, { mode: 0o600 }))
  const url = yield* serve(["blender", "http", "--port", "0", "--json", "--token-file", tokenFile, ...blender])
  const headers = { Authorization: `Bearer ${token}` }
  const mcpServers = { scene: { type: "http", url, headers } }
  yield* Effect.promise(() => writeFile(join(cwd, ".mcp.json"), JSON.stringify({ mcpServers }), { mode: 0o600 }))
  return {
    claudeCode: {
      cwd,
      trustProject: true,
      allowedTools: ["mcp__scene"],
    },
    codex: {
      cwd,
      sandbox: "read-only",
      approvalPolicy: "never",
      config: { mcp_servers: { scene: { url, http_headers: headers } } },
    },
  } as const
})
