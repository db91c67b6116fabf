/** A program with JSON lines on its input and output, whose every line a test can read. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"

type Loose = Readonly<Record<string, unknown>>

/**
 * - `seen`: every line, in order
 * - `until`: waits for the first line that matches, past or future; fails if the program ends without one
 * - `end`: ends its input, and waits for its end
 */
export interface Lines {
  readonly seen: ReadonlyArray<Loose>
  readonly send: (message: Loose) => void
  readonly raw: (line: string) => void
  readonly until: (matches: (message: Loose) => boolean) => Promise<Loose>
  readonly ended: Promise<{ readonly status: number | string | null; readonly stderr: string }>
  readonly end: () => Lines["ended"]
}

export const start = (
  command: string,
  args: ReadonlyArray<string>,
  cwd: string,
  env: NodeJS.ProcessEnv = process.env,
): Lines => {
  const child = spawn(command, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"] })
  const seen: Array<Loose> = []
  const looks = new Set<() => void>()
  let isOver = false
  let rest = ""
  child.stdin.on("error", () => {})
  child.stdout.setEncoding("utf8")
  child.stdout.on("data", (piece: string) => {
    const lines = (rest + piece).split("\n")
    rest = lines.pop() ?? ""
    seen.push(...lines.map((line) => JSON.parse(line) as Loose))
    for (const look of looks) look()
  })
  const ended = Promise.all([once(child, "close"), text(child.stderr)]).then(([[status, signal], stderr]) => {
    isOver = true
    for (const look of looks) look()
    return { status: (signal ?? status) as number | string | null, stderr }
  })
  const raw = (line: string) => void child.stdin.write(`${line}\n`)
  return {
    seen,
    raw,
    ended,
    send: (message) => raw(JSON.stringify(message)),
    until: (matches) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = seen.find(matches)
          if (found !== undefined) resolve(found)
          else if (isOver) reject(new Error(`It ended without saying so: ${JSON.stringify(seen)}`))
          else return
          looks.delete(look)
        }
        looks.add(look)
        look()
      }),
    end: () => {
      child.stdin.end()
      return ended
    },
  }
}
