/**
 * Builds the environment of an agent's process from an allow-list: no other variable of the host reaches it.
 *
 * @see promises on spawning: an allow-list plus what the caller names
 */
import * as Redacted from "effect/Redacted"

/** The variables that name the directory for temporary files: `TMPDIR`, or `TEMP` and `TMP` on Windows. */
export const temporary: ReadonlyArray<string> = process.platform === "win32" ? ["TEMP", "TMP"] : ["TMPDIR"]

/**
 * The variables that every process receives if the host has them: paths, user, shell, locale and time zone. `LC_*`
 * matches every name with that beginning.
 */
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

/**
 * The variables that configure proxies, such as `HTTPS_PROXY` and `NO_PROXY`, in both cases: some programs read only
 * the lower-case names.
 */
export const proxies: ReadonlyArray<string> = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"].flatMap((name) => [
  name,
  name.toLowerCase(),
])

/** The environment of a process, and which of its values must be redacted. */
export interface Environment {
  /**
   * Every variable that the process receives, by its name; `OwnedProcess.start` adds `ZAIN_OWNER` and may replace those
   * in `temporary`.
   */
  readonly env: Readonly<Record<string, string>>
  /** The values in `env` that are secrets: keys, tokens and passwords, also those within URLs. */
  readonly secrets: ReadonlyArray<string>
}

const secretName = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTH|PROXY|HEADERS/i

/**
 * Builds an environment from the variables in `usual`, the allowed ones and the given ones.
 *
 * @param host the host's environment, such as `process.env`
 * @param allowed names of further variables to pass on; `*` at the end of a name matches every name with that beginning
 * @param given variables that are added or replaced. Their values count as secrets, except for names that `usual`
 *   contains literally (not `LC_ALL`) and for names that end in `_HOME`, `_DIR` or `_PATH`
 */
export const make = (
  host: Readonly<Record<string, string | undefined>>,
  allowed: ReadonlyArray<string>,
  given: Readonly<Record<string, Redacted.Redacted<string>>> = {},
): Environment => {
  const exact = new Set<string>()
  const prefixes: Array<string> = []
  for (const name of [...usual, ...allowed]) {
    if (name.endsWith("*")) prefixes.push(name.slice(0, -1))
    else exact.add(name)
  }
  const env: Record<string, string> = {}
  const secrets: Array<string> = []
  for (const [written, value] of Object.entries(host)) {
    const name = process.platform === "win32" ? written.toUpperCase() : written
    if (value === undefined || !(exact.has(name) || prefixes.some((prefix) => name.startsWith(prefix)))) continue
    env[name] = value
    if (secretName.test(name)) secrets.push(value)
    secrets.push(...userInfo(value))
  }
  for (const [name, value] of Object.entries(given)) {
    env[name] = Redacted.value(value)
    if (!isPlain(name)) secrets.push(Redacted.value(value))
  }
  return { env, secrets }
}

/** The user and the password in a URL. */
const userInfo = (value: string): ReadonlyArray<string> => {
  if (!value.includes("@") || !URL.canParse(value)) return []
  const { password, username } = new URL(value)
  return [password, username].filter((part) => part !== "").flatMap((part) => [part, decoded(part)])
}

/** A user or password in a URL may contain `%` without being encoded. */
const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/**
 * Returns the users and passwords in the URLs of the host's proxies, for redaction: a proxy's error page may repeat
 * them.
 *
 * @param host the host's environment, such as `process.env`; the variables in `proxies` are read
 */
export const proxySecrets = (host: Readonly<Record<string, string | undefined>>): ReadonlyArray<string> =>
  proxies.flatMap((name) => userInfo(host[name] ?? ""))

/** Paths and locales help in a message and are no secrets, even when the caller named them. */
const isPlain = (name: string): boolean => usual.includes(name) || /(_HOME|_DIR|_PATH)$/.test(name)
