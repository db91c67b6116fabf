/**
 * Why Codex cannot read its configuration. The error of `config/read` has the cause; file and line stand in a warning that
 * Codex sends at its start only.
 *
 * @see Codex 0.169 app-server: measured
 */
import { textOf } from "@zain/agent-server/JsonMember"
import { clip } from "@zain/core/McpError"

/** A value of the configuration that Codex does not accept. */
export interface Fault {
  /** The path of the file, the line and the column, joined by colons. */
  readonly place: string
  /** What is wrong, as the error of `config/read` repeats it. */
  readonly what: string
}

/** Reads the parameters of `configWarning`; `undefined` if the warning names no line. */
export const faultOf = (params: Readonly<Record<string, unknown>>): Fault | undefined => {
  const [, place, what] = /^(.{1,1024}?:\d+:\d+): (.{1,1024})$/s.exec(textOf(params, "details") ?? "") ?? []
  return place === undefined || what === undefined ? undefined : { place, what }
}

/**
 * Returns the message for an error of `config/read`, in one line and without the values and the lines of the file that
 * Codex quotes: they may be secrets.
 *
 * @param why the message of the error
 * @param faults the faults that Codex has warned of; one that the error does not repeat may be repaired
 */
export const problem = (why: string, faults: ReadonlyArray<Fault>): string => {
  const usual = /[\\/]/.test(why) ? undefined : "config.toml in CODEX_HOME, by default ~/.codex"
  const isPlaced = /:\d+:\d+: /.test(why)
  const place = isPlaced ? undefined : (faults.find(({ what }) => why.includes(what))?.place ?? usual)
  const said = why.split(/\r?\n/).filter((line) => line.trim() !== "" && !/^\s*\d*\s*\|/.test(line))
  const words = said.join(" ").replace(/\bstring "(?:[^"\\]|\\.)*"/g, 'string "…"')
  return clip(`Codex cannot read its configuration${place === undefined ? "" : ` (${place})`}: ${words}`)
}
