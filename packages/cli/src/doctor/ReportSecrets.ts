/**
 * Finds secrets in command lines and URLs by position: the value of an option or variable with a secret's name, the
 * user and query of a URL, an HTTP credential. Equal text elsewhere stays, so that a file cannot hide a command by
 * declaring it secret. For the same reason a value ends where a shell would begin another command.
 */
import { keys, redacted } from "@zain/process/Redactor"

/** `shown`: the words without secrets. `secrets`: the removed values */
export interface Parted {
  readonly shown: ReadonlyArray<string>
  readonly secrets: ReadonlyArray<string>
}

const telling = /key|token|secret|passw|passphrase|credential|auth(?!or(?!i))|cookie|session|bearer|signature|private/i
const tellingWords = /(?:^|[^a-z])(?:pat|pin|dsn|pwd|pass|jwt|otp|sid|creds?)(?:[^a-z]|$)/i

/** Whether a value of this name is a secret. */
export const isSecret = (name: string): boolean =>
  telling.test(name) || tellingWords.test(name.replace(/([a-z])([A-Z])/g, "$1_$2"))

/** A path segment this long, with letters and digits mixed, counts as a key. */
const keyLike = /^(?=.*\d)(?=.*[a-z])[\w~=.-]{16,}$/i

/** A reference to a variable without its value: `${NAME}`, `${env:NAME}`. */
const reference = /^\$\{(?![^{}]*:-)[^{}]*\}$/

/** The rest of a shell word. */
const bare = "[^\\s;&|<>()`'\"\\\\]"
const value = `"(?:[^"$\`\\\\]|\\$(?!\\())*"|'[^']*'|${bare}+`

const url = new RegExp(`\\b([a-z][\\w+.-]*:\\/\\/)(${bare}*)`, "gi")
const named = new RegExp(`([A-Za-z_][\\w.-]*)(=|:[ \\t]*(?:(?:Bearer|Basic)[ \\t]+)?)(${value})`, "g")
const reply = /("([^"\\]+)"\s*:\s*")((?:[^"\\$`]|\$(?!\()|\\[^$`\n])+)/g
const pair = new RegExp(`([;\\s]|^)([\\w.-]+=)(${bare}+)`, "g")

/** Removes the secrets of one text, and reports each. */
const part = (text: string, tell: (secret: string) => void): string => {
  const hide = (secret: string) => {
    if (secret === "" || secret === redacted || reference.test(secret)) return secret
    tell(secret)
    const fallback = /^(\$\{[^{}:]*:-)(.*)\}$/.exec(secret)
    if (fallback !== null) {
      if (fallback[2] !== "") tell(fallback[2] as string)
      return fallback[2] === "" ? secret : `${fallback[1]}${redacted}}`
    }
    const quote = /^(["'])(.*)\1$/s.exec(secret)
    if (quote === null) return redacted
    tell(quote[2] as string)
    return `${quote[1]}${redacted}${quote[1]}`
  }
  return text
    .replace(url, (_, scheme: string, rest: string) => `${scheme}${address(rest, hide)}`)
    .replace(reply, (whole, before: string, name: string, value: string) =>
      isSecret(name) ? `${before}${hide(value)}` : whole,
    )
    .replace(named, (whole, name: string, sign: string, value: string) =>
      (isSecret(name) || /[a-z]/i.test(sign)) && !value.startsWith("//") ? `${name}${sign}${hide(value)}` : whole,
    )
    .replace(keys, hide)
}

/** The address after `scheme://`. */
const address = (rest: string, hide: (secret: string) => string): string => {
  const [, host = "", query, hash = ""] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(rest) ?? []
  const [, user, path = ""] = /^(?:([^/]*)@)?(.*)$/s.exec(host) ?? []
  const parts = path.split("/").map((one, at) => (at > 0 && keyLike.test(one) ? hide(one) : one))
  if (user !== undefined) user.split(":").forEach(hide)
  return [
    user === undefined ? "" : `${hide(user)}@`,
    parts.join("/"),
    query === undefined ? "" : `?${query.split("&").map(queryPart(hide)).join("&")}`,
    hash,
  ].join("")
}

const queryPart = (hide: (secret: string) => string) => (one: string) => {
  const at = one.indexOf("=")
  return at < 0 ? hide(one) : `${one.slice(0, at + 1)}${hide(one.slice(at + 1))}`
}

const shell = /(?:^|[\\/])(?:ba|da|z|k|c|tc|fi|a|)sh(?:\.exe)?$|(?:^|[\\/])(?:busybox|cmd|powershell|pwsh)(?:\.exe)?$/i
/** Programs that run their first word that is not an option: an unknown option may have no value. */
const launcher =
  /(?:^|[\\/])(?:npx|npm|pnpm|pnpx|yarn|bunx?|uvx?|pipx|deno|docker|podman|sudo|doas|env|xargs|nohup|nice|timeout)(?:\.(?:exe|cmd))?$/i
const subcommand = /^(?:-.*|exec|run|x|dlx|tool)$/s
const header = /^(?:-H|--headers?)$/

/** Redacts the words of a command line. */
export const ofWords = (words: ReadonlyArray<string>): Parted => {
  const secrets: Array<string> = []
  const tell = (secret: string) => void secrets.push(secret)
  // In shells, letters after one dash are switches, so the next word may be the command.
  const isShell = words.some((word) => shell.test(word))
  const shown = words.map((word, at) => {
    const before = words[at - 1] ?? ""
    const isFirst = launcher.test(words[0] ?? "") && words.slice(1, at).every((one) => subcommand.test(one))
    const isOption = isFirst ? false : isShell ? /^--[^=\s]+$/.test(before) : /^-[^=\s]+$/.test(before)
    if (at > 1 && header.test(before)) return headerOf(word, isShell, tell)
    if (at > 1 && isOption && isSecret(before) && !/^--[a-z]/i.test(word) && !reference.test(word) && word !== "") {
      if (!/^\$\{[^{}:]*:-.*\}$/.test(word)) {
        secrets.push(word)
        return redacted
      }
      return part(`${before}=${word}`, tell).slice(before.length + 1)
    }
    const [, option, rest] = /^(--?[\w.-]+=)(.*)$/s.exec(word) ?? []
    if (option === undefined || rest === undefined) return part(word, tell)
    if (/^--?headers?=$/.test(option)) return `${option}${headerOf(rest, isShell, tell)}`
    return isSecret(option) ? part(word, tell) : `${option}${part(rest, tell)}`
  })
  return { shown, secrets }
}

/** An HTTP header; its value is redacted whatever its name. */
const headerOf = (text: string, isShell: boolean, tell: (secret: string) => void): string => {
  const [, name = "", value = ""] = /^([^:=\s]+[:=]\s*)(.*)$/s.exec(text) ?? []
  if (name === "") return part(text, tell)
  if (/^(?:set-)?cookie/i.test(name)) {
    return `${name}${value.replace(pair, (_, before: string, key: string, secret: string) => {
      tell(secret)
      return `${before}${key}${redacted}`
    })}`
  }
  if (!isShell && value !== "" && !reference.test(value)) {
    tell(value)
    return `${name}${redacted}`
  }
  return `${name}${part(`AUTH=${value.replace(/^(Bearer|Basic)\s+/i, "")}`, tell).slice("AUTH=".length)}`
}

/** Redacts a URL; an invalid URL is treated as text. */
export const ofUrl = (text: string): { readonly shown: string; readonly secrets: ReadonlyArray<string> } => {
  const secrets: Array<string> = []
  const at = text.indexOf("://")
  const whole = address(at < 0 ? text : text.slice(at + 3), (secret) => {
    if (secret === "" || reference.test(secret)) return secret
    secrets.push(secret, decoded(secret))
    return redacted
  })
  return { shown: `${at < 0 ? "" : text.slice(0, at + 3)}${whole.replace(/\?.*$/s, "?…")}`, secrets }
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Shorter values without a secret's name are too likely to be ordinary words. */
const minLength = 8

/** The secret values of variables. */
export const ofVariables = (env: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  Object.entries(env).flatMap(([name, value]) => (isSecret(name) || value.length >= minLength ? [value] : []))

/** A header's value, and its credential without the scheme. */
export const ofHeaders = (headers: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  Object.values(headers).flatMap((value) => [value, value.replace(/^(?:Bearer|Basic)\s+/i, "")])
