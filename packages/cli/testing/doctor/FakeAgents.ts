/**
 * Fake agents of any version in a home: programs that answer the doctor, and log its questions.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { compileCache } from "@zain/contract-tests/FakePeerLog"
import type { Home } from "../run/Home.ts"

const program = fileURLToPath(new URL("fixtures/agent.mjs", import.meta.url))
const server = fileURLToPath(new URL("fixtures/server.mjs", import.meta.url))

export const authHelp = "Usage: claude auth [options] [command]\n\nCommands:\n  login [options]\n  status [options]\n"

/** What Codex says of accounts. */
export const accounts = {
  none: { account: null, requiresOpenaiAuth: true },
  notNeeded: { account: null, requiresOpenaiAuth: false },
  key: { account: { type: "apiKey" }, requiresOpenaiAuth: true },
  chatgpt: {
    account: { type: "chatgpt", email: "somebody@example.com", planType: "pro" },
    requiresOpenaiAuth: true,
  },
}
/** What Claude Code does. */
export const statuses = {
  key: { loggedIn: true, authMethod: "api_key", apiProvider: "firstParty", apiKeySource: "ANTHROPIC_API_KEY" },
}

export interface Settings {
  readonly agent: "codex" | "claude"
  readonly says: string
  readonly account: unknown
  readonly help?: string
  readonly config?: object
  readonly hangs?: string
}

/** What `--provider` calls them. */
export const providers = { codex: "codex", claude: "claude-code" } as const

const cached = Object.entries(compileCache()).map(([name, value]) => `${name}=${value}`)

/** Puts a program into a folder of a home, `bin` by default. */
export const install = (home: Home, settings: Settings, folder = join(home.path, "bin")): void => {
  mkdirSync(folder, { recursive: true })
  const given = JSON.stringify({ ...settings, log: logOf(home, settings.agent) })
  const words = ["env", ...cached, process.execPath, program, given].map((word) => `'${word}'`).join(" ")
  writeFileSync(join(folder, settings.agent), `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 })
}

export const codex = (version: string, account: unknown = accounts.key): Settings => ({
  agent: "codex",
  says: `codex-cli ${version}`,
  account,
})
export const claude = (account: unknown = statuses.key, help: string = authHelp): Settings => ({
  agent: "claude",
  says: "2.1.329 (Claude Code)",
  account,
  help,
})

const logOf = ({ path }: Home, agent: string) => join(path, `${agent}.asked`)

/** The arguments of each start of an agent. */
export const asked = (home: Home, agent: "codex" | "claude"): ReadonlyArray<string> => {
  const log = logOf(home, agent)
  return existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []
}

/** Where `bin` of a home comes first, and Node is known. */
export const pathOf = ({ path }: Home, ...before: ReadonlyArray<string>): string =>
  [...before, join(path, "bin"), dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter)

/** The command line of a server with the given behaviour. */
export const serverCommand = (settings: object): ReadonlyArray<string> => [
  process.execPath,
  server,
  JSON.stringify(settings),
]

/** The same as one text. */
export const serverLine = (settings: object): string =>
  serverCommand(settings)
    .map((word) => `'${word}'`)
    .join(" ")

/** A tool that takes nothing. */
export const tool = (name: string) => ({ name, inputSchema: { type: "object" } })

/** The settings of a server with one tool that does nothing wrong. */
export const good = { capabilities: { tools: {} }, lists: { "tools/list": { tools: [tool("ping")] } } }

/** The same as an entry of a file. */
export const entry = (settings: object = good) => {
  const [command = "", ...args] = serverCommand(settings)
  return { command, args }
}
