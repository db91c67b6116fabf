/**
 * Why Codex cannot read its configuration.
 *
 * @see Codex 0.169 app-server: measured. The error of `config/read` names the file only if it is no TOML; its warnings name
 *   file and line, but those of its start only
 */
import { clip } from "@zain/core/McpError"

/** How much of Codex's message is read, in characters. */
const maxMessageLength = 16_384

/** A line of the file, as Codex quotes it below its message. */
const quoted = /^\s*(?:\d+\s*)?\|/

/**
 * Returns the message for an error of `config/read`, in one line, without the lines of the file and the strings of a wrong
 * type that Codex quotes: they may be secrets.
 *
 * @param why the message of the error
 * @param home Codex's directory, as it names it in the handshake
 */
export const problem = (why: string, home = "CODEX_HOME, by default ~/.codex"): string => {
  const lines = why.slice(0, maxMessageLength).split(/\r?\n/)
  const said = lines.filter((line) => line.trim() !== "" && !quoted.test(line)).join(" ")
  const words = said.replace(/\bstring "(?:[^"\\]|\\.)*"?/g, 'string "…"')
  const place = /[\\/]/.test(words) ? "" : ` (config.toml in ${home}, or .codex/config.toml of the project)`
  return clip(`Codex cannot read its configuration${place}: ${words}`)
}
