/**
 * The environment of an agent: what is named, and nothing else of the host's.
 *
 * @see promises on spawning: an allow-list plus what the caller names
 */
import * as Redacted from "effect/Redacted"

/** The variables that name the directory for temporary files. */
export const temporary: ReadonlyArray<string> = process.platform === "win32" ? ["TEMP", "TMP"] : ["TMPDIR"]

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

/** How to reach the world where there is no straight way. Some programs know only the lower-case names. */
export const proxies: ReadonlyArray<string> = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"].flatMap((name) => [
  name,
  name.toLowerCase(),
])

/** The whole environment of a process, and those of its values that must not show anywhere. */
export interface Environment {
  readonly env: Readonly<Record<string, string>>
  readonly secrets: ReadonlyArray<string>
}

const secretName = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTH|PROXY|HEADERS/i

/**
 * @param host the host's environment
 * @param allowed names that pass, beside the usual ones; a name may end in `*`
 * @param given variables that come on top, every value of them a secret
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

/** Not everything that stands in a URL was encoded for one. */
const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** The users and passwords of the host's proxies, which a proxy may repeat. */
export const proxySecrets = (host: Readonly<Record<string, string | undefined>>): ReadonlyArray<string> =>
  proxies.flatMap((name) => userInfo(host[name] ?? ""))

/** Paths and locales in a message help, and are no secrets, even when the caller named them. */
const isPlain = (name: string): boolean => usual.includes(name) || /(_HOME|_DIR|_PATH)$/.test(name)
