/**
 * The environment of an agent: what is named, and nothing else of the host's.
 *
 * @see promises on spawning: an allow-list plus what the caller names
 */
import type * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import * as Redacted from "effect/Redacted"

/** What any program needs to find its way. */
export const usual: ReadonlyArray<string> = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LC_*",
  "TERM",
  "TZ",
  "TMPDIR",
  ...(process.platform === "win32"
    ? ["APPDATA", "COMSPEC", "LOCALAPPDATA", "PATHEXT", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERPROFILE"]
    : []),
]

/** The whole environment of a process, and those of its values that must not show anywhere. */
export interface Environment {
  readonly env: Readonly<Record<string, string>>
  readonly secrets: ReadonlyArray<string>
}

const secretName = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTH/i

/**
 * @param host the host's environment
 * @param allowed names that pass, beside the usual ones; a name may end in `*`
 * @param config whose `env` comes on top, every value of it a secret
 */
export const make = (
  host: Readonly<Record<string, string | undefined>>,
  allowed: ReadonlyArray<string>,
  config: Pick<McpConnectionConfig.Parsed, "env">,
): Environment => {
  const exact = new Set<string>()
  const prefixes: Array<string> = []
  for (const name of [...usual, ...allowed]) {
    if (name.endsWith("*")) prefixes.push(name.slice(0, -1))
    else exact.add(name)
  }
  const env: Record<string, string> = {}
  const secrets: Array<string> = []
  for (const [name, value] of Object.entries(host)) {
    if (value === undefined || !(exact.has(name) || prefixes.some((prefix) => name.startsWith(prefix)))) continue
    env[name] = value
    if (secretName.test(name)) secrets.push(value)
  }
  for (const [name, value] of Object.entries(config.env)) {
    env[name] = Redacted.value(value)
    if (!isPlain(name)) secrets.push(Redacted.value(value))
  }
  return { env, secrets }
}

/** Paths and locales in a message help, and are no secrets, even when the caller named them. */
const isPlain = (name: string): boolean => usual.includes(name) || /(_HOME|_DIR|_PATH)$/.test(name)
