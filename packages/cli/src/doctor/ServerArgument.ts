/**
 * An MCP server as somebody names it on a command line: a command with its arguments, or a URL.
 */
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import * as Result from "effect/Result"

/** - `secrets`: what of it must not show */
export interface ServerArgument {
  readonly subject: string
  readonly config: McpConnectionConfig.McpConnectionConfig
  readonly secrets: ReadonlyArray<string>
}

/** - `bearer`: the token for servers over HTTP */
export interface Options extends McpConnectionConfig.McpLimits {
  readonly bearer: string | undefined
  readonly env: Readonly<Record<string, string>>
}

const overHttp = /^(?:(sse|http)\+)?(https?:\/\/.*)$/i

/**
 * @param text `https://…` for Streamable HTTP, `sse+https://…` for SSE, and a command line for stdio
 * @returns the server, or one sentence on what is wrong
 */
export const parse = (text: string, { bearer, env, ...limits }: Options): Result.Result<ServerArgument, string> => {
  const [, kind, url] = overHttp.exec(text.trim()) ?? []
  if (url !== undefined) {
    if (!URL.canParse(url)) return Result.fail(`--server: ${JSON.stringify(url)} is no URL.`)
    const secrets = secretsOf(url)
    const options = { ...limits, url, ...(bearer === undefined ? {} : { bearerToken: bearer }) }
    const make = kind?.toLowerCase() === "sse" ? McpConnectionConfig.sse : McpConnectionConfig.streamableHttp
    return Result.succeed({ subject: shortUrl(url), config: make(options), secrets })
  }
  return Result.map(split(text), ([command = "", ...args]) => ({
    subject: [command, ...args].join(" "),
    config: McpConnectionConfig.stdio({ ...limits, command, args, env }),
    secrets: secretArguments(args),
  }))
}

const shortUrl = (url: string): string => {
  const { host, pathname, protocol } = new URL(url)
  return `${protocol}//${host}${pathname}`
}

/** A part of a path this long, with letters and digits mixed, is a key rather than a name. */
const keyLike = /^(?=.*\d)(?=.*[a-z])[\w~=.-]{16,}$/i

/** What of a URL must not show: users and passwords, keys in its path, and all that its query says. */
export const secretsOf = (url: string): ReadonlyArray<string> => {
  if (!URL.canParse(url)) return []
  const { password, pathname, searchParams, username } = new URL(url)
  return [
    username,
    password,
    ...searchParams.values(),
    ...pathname.split("/").filter((part) => keyLike.test(part)),
  ].filter((part) => part !== "")
}

const secretName = /key|token|secret|passw|credential|auth/i

/** What of a command line must not show: the values of options and variables whose names say so, and URLs' secrets. */
export const secretArguments = (args: ReadonlyArray<string>): ReadonlyArray<string> =>
  args.flatMap((arg, at) => {
    const [, name = "", value = ""] = /^-{0,2}([\w.-]+)[=:]\s*(.+)$/s.exec(arg) ?? []
    const before = args[at - 1] ?? ""
    const isValue = before.startsWith("-") && !before.includes("=") && secretName.test(before) && !arg.startsWith("-")
    return [...(isValue ? [arg] : []), ...(secretName.test(name) ? [value] : []), ...secretsOf(arg)]
  })

/** Words, as a shell makes them: quotes and backslashes count, and nothing else does. */
export const split = (text: string): Result.Result<ReadonlyArray<string>, string> => {
  const words: Array<string> = []
  let word: string | undefined
  let quote: string | undefined
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string
    if (quote === "'" && character !== "'") word = (word ?? "") + character
    else if (character === quote) quote = undefined
    else if (character === "\\" && (quote === undefined || /["\\$`]/.test(text[at + 1] ?? ""))) {
      word = (word ?? "") + (text[++at] ?? "")
    } else if (quote !== undefined) word = (word ?? "") + character
    else if (character === "'" || character === '"') {
      quote = character
      word ??= ""
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? "") + character
  }
  if (quote !== undefined) return Result.fail(`--server: a quotation mark ${quote} has no end.`)
  if (word !== undefined) words.push(word)
  return words.length === 0 || words[0] === ""
    ? Result.fail("--server takes a command, such as 'node server.js', or a URL.")
    : Result.succeed(words)
}
