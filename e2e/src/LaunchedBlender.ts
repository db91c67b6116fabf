/**
 * `zain-editor-mcp blender --launch` as a process, and the Blender that it starts.
 */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { answer, begin, call, run } from "../../packages/editor-server/testing/command/Started.ts"

interface Result {
  readonly isError?: boolean
  readonly content: ReadonlyArray<{ readonly text?: string }>
  readonly structuredContent?: { readonly error?: Readonly<Record<string, unknown>> }
}

/**
 * Starts the server, and completes a client's handshake.
 *
 * - `child`, `errors`, `exit`: of the server
 * - `tool`: the result of a call, whose failure is one too
 * - `state`: the directory of recovery files and of bridges' files
 * - `names`: what is in it
 * - `pids`: the processes of its Blenders that run
 */
export const start = Effect.fnUntraced(function* (
  args: ReadonlyArray<string> = [],
  env: Readonly<Record<string, string>> = {},
  prepare: (home: string) => void = () => {},
) {
  const server = yield* run(["blender", "--launch", ...args], env, prepare)
  yield* begin(server)
  let last = 1
  const tool = Effect.fnUntraced(function* (name: string, args: object) {
    const id = ++last
    server.send(call(id, name, args))
    return (yield* answer(server, id)).result as unknown as Result
  })
  const state = join(server.home, ".local", "state", "zain", "blender")
  const names = () => {
    try {
      return readdirSync(state)
    } catch {
      return []
    }
  }
  const pids = () => names().flatMap((name) => (name.endsWith(".json") ? [Number(name.slice(0, -5))] : []))
  const { child, errors, exit, home } = server
  return { child, errors, exit, home, tool, state, names, pids }
})

export const textOf = ({ content }: Result): string => content.map(({ text = "" }) => text).join("\n")
