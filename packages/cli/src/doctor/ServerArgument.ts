/**
 * The MCP server of `--server`: a command with its arguments, or a URL.
 */
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import * as Result from "effect/Result"
import * as ReportSecrets from "./ReportSecrets.ts"
import * as ShellWords from "./ShellWords.ts"

/** A parsed server. `secrets`: values to redact */
export interface ServerArgument {
  readonly subject: string
  readonly config: McpConnectionConfig.McpConnectionConfig
  readonly secrets: ReadonlyArray<string>
}

/** `bearer`: the token for servers over HTTP. `isWindows`: whether a backslash is part of a path */
export interface Options extends McpConnectionConfig.McpLimits {
  readonly bearer: string | undefined
  readonly env: Readonly<Record<string, string>>
  readonly isWindows?: boolean
}

const overHttp = /^(?:(sse|http)\+)?(https?:\/\/.*)$/i

/**
 * @param text `https://…` for Streamable HTTP, `sse+https://…` for SSE, and a command line for stdio
 * @returns the server, or fails with one sentence
 */
export const parse = (
  text: string,
  { bearer, env, isWindows = process.platform === "win32", ...limits }: Options,
): Result.Result<ServerArgument, string> => {
  const [, kind, url] = overHttp.exec(text.trim()) ?? []
  if (url !== undefined) {
    if (!URL.canParse(url))
      return Result.fail(`--server: ${JSON.stringify(ReportSecrets.ofUrl(url).shown)} is not a URL.`)
    const { secrets } = ReportSecrets.ofUrl(url)
    const options = { ...limits, url, ...(bearer === undefined ? {} : { bearerToken: bearer }) }
    const make = kind?.toLowerCase() === "sse" ? McpConnectionConfig.sse : McpConnectionConfig.streamableHttp
    return Result.succeed({ subject: shortUrl(url), config: make(options), secrets })
  }
  const words = ShellWords.split(text, isWindows)
  if (Result.isFailure(words)) return Result.fail(`--server: the quotation mark ${words.failure} is not closed.`)
  const [command = "", ...args] = words.success
  if (command === "") return Result.fail("--server requires a command, such as 'node server.js', or a URL.")
  const { secrets, shown } = ReportSecrets.ofWords(words.success)
  return Result.succeed({
    subject: shown.join(" "),
    config: McpConnectionConfig.stdio({ ...limits, command, args, env }),
    secrets,
  })
}

const shortUrl = (url: string): string => {
  const { host, pathname, protocol } = new URL(url)
  return ReportSecrets.ofUrl(`${protocol}//${host}${pathname}`).shown
}
