/** The options of the command line. */
import { parseArgs } from "node:util"
import type { Place } from "./FakeAgent.ts"

export const help = `Runs many calls and many sessions against a fake agent, and looks whether anything is left of them.

  pnpm soak                          50,000 executes and 2,000 sessions over each transport; takes minutes
  pnpm soak --transport sse          over one transport: stdio, streamable-http or sse; may be given again
  pnpm soak --transport shared       over stdio to one agent server for all sessions, as \`local()\` starts it
  pnpm soak --executes N --sessions N
  pnpm soak --json                   one JSON object a transport

Exit code: 0 when everything was answered and nothing is left, 1 otherwise, 2 when the command line is wrong.
`

/** `executes`, `sessions`: how many over each transport. */
export interface Options {
  readonly transports: ReadonlyArray<Place>
  readonly executes: number
  readonly sessions: number
  readonly json: boolean
}

const all: ReadonlyArray<Place> = ["stdio", "streamable-http", "sse", "shared"]

/**
 * Parses the options; `"help"` for `--help`.
 *
 * @throws an error with the invalid option
 */
export const parse = (args: ReadonlyArray<string>): Options | "help" => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: "boolean", short: "h", default: false },
      json: { type: "boolean", default: false },
      transport: { type: "string", multiple: true, default: [...all] },
      executes: { type: "string", default: "50000" },
      sessions: { type: "string", default: "2000" },
    },
  })
  if (values.help) return "help"
  const transports = all.filter((transport) => values.transport.includes(transport))
  const strange = values.transport.find((name) => !all.includes(name as Place))
  if (strange !== undefined) throw new Error(`There is no transport ${strange}. There are ${all.join(", ")}.`)
  return { transports, executes: count(values, "executes"), sessions: count(values, "sessions"), json: values.json }
}

const count = <Name extends string>(values: Readonly<Record<Name, string>>, name: Name): number => {
  if (!/^[1-9]\d{0,8}$/.test(values[name])) throw new Error(`--${name} takes a whole number above zero.`)
  return Number(values[name])
}
