/**
 * The command `zain` in a home of its own with fake agents: in this process, through pipes, and on a terminal.
 */

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { agents as list } from "@zain/agent-list/Agents"
import * as FakeAgent from "@zain/contract-tests/FakeAgent"
import { compileCache } from "@zain/contract-tests/FakePeerLog"
import { Effect, Result, type Scope } from "effect"
import * as InProcess from "./InProcess.ts"
import * as ZainProcess from "./ZainProcess.ts"

export type { Zain } from "./ZainProcess.ts"
export { seen } from "./ZainProcess.ts"

export type AgentName = "codex" | "claude-code"
export const agents = list.map(({ name }) => name as AgentName)

/**
 * - `alive`, `environments`: the running processes of this home, and their environments
 */
export interface Home {
  readonly path: string
  /** Where `zain` is started. */
  readonly work: string
  /** The arguments of a run with a fake agent. */
  readonly prompt: (agent: AgentName, text: string, ...more: ReadonlyArray<string>) => ReadonlyArray<string>
  /** The messages that the agent received. */
  readonly peer: (agent: AgentName) => FakeAgent.FakeAgent["peer"]
  /** Runs it in this process, in `work` unless another directory is given. */
  readonly here: (
    args: ReadonlyArray<string>,
    env?: ZainProcess.Variables,
    options?: InProcess.Options & { readonly cwd?: string },
  ) => Effect.Effect<InProcess.Ended>
  /** Starts it with pipes; `shell` is what a shell makes of it, such as `"$@" | head -1`. */
  readonly run: (
    args: ReadonlyArray<string>,
    env?: ZainProcess.Variables,
    shell?: string,
  ) => Effect.Effect<ZainProcess.Zain, never, Scope.Scope>
  /** Starts it on a terminal. */
  readonly terminal: (
    args: ReadonlyArray<string>,
    env?: ZainProcess.Variables,
    shell?: string,
  ) => Effect.Effect<ZainProcess.Zain, never, Scope.Scope>
  readonly alive: () => ReadonlyArray<number>
  /** An agent that answers nothing, and ignores interruptions. */
  readonly stubborn: Effect.Effect<string>
  /** Waits until a condition holds. */
  readonly until: (isSo: () => boolean) => Effect.Effect<void>
  readonly environments: () => ReadonlyArray<{ readonly command: string; readonly env: string }>
}

/** A home that goes with the Scope. */
export const make: Effect.Effect<Home, never, Scope.Scope> = Effect.gen(function* () {
  const path = yield* Effect.acquireRelease(
    Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "zain-cli-")))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })),
  )
  const work = join(path, "work")
  mkdirSync(work)
  const fakes = {} as Record<AgentName, FakeAgent.FakeAgent>
  for (const { fake, name } of list) {
    fakes[name as AgentName] = yield* FakeAgent.install(yield* Effect.promise(fake), path)
  }
  const cache = compileCache()
  const cached = Object.keys(cache).flatMap((name) => ["--env", name])
  const usual = { PATH: "/usr/bin:/bin", HOME: path, TMPDIR: path, ...cache }
  const place = (env: ZainProcess.Variables, cwd = work) => ({ cwd, env: { ...usual, ...env } })
  return {
    path,
    work,
    prompt: (agent, text, ...more) => {
      const { command } = fakes[agent]
      return ["run", "--provider", agent, "--command", command, ...cached, text, ...more]
    },
    peer: (agent) => fakes[agent].peer,
    here: (args, env = {}, { cwd, ...options } = {}) => InProcess.run(args, place(env, cwd), options),
    run: (args, env = {}, shell) => ZainProcess.behindPipes(args, place(env), shell),
    terminal: (args, env = {}, shell) => ZainProcess.onTerminal(args, place(env), shell),
    stubborn: Effect.sync(() => {
      const file = join(path, "stubborn")
      writeFileSync(file, "#!/bin/sh\ntrap '' TERM INT HUP\nwhile :; do sleep 1; done\n", { mode: 0o755 })
      return file
    }),
    until,
    alive: () => withEnvironment(`HOME=${path}`),
    environments: () =>
      withEnvironment(`HOME=${path}`).map((pid) => ({
        command: read(`/proc/${pid}/cmdline`),
        env: read(`/proc/${pid}/environ`),
      })),
  }
})

type Steps<Row extends ReadonlyArray<unknown>> = (
  home: Home,
  ...row: Row
) => Generator<Effect.Effect<unknown, unknown, Scope.Scope>, void, never>

const within = <Row extends ReadonlyArray<unknown>>(steps: Steps<Row>, ...row: Row) =>
  Effect.flatMap(make, (home) => Effect.gen(() => steps(home, ...row))) as Effect.Effect<void, unknown, Scope.Scope>

/** A test in a home of its own; of `each` table, one for every row. */
export const inHome = Object.assign((title: string, steps: Steps<[]>) => it.live(title, () => within(steps)), {
  each:
    <A>(rows: ReadonlyArray<A>) =>
    (title: string, steps: Steps<[A]>) =>
      it.live.each(rows)(title, (row) => within(steps, row)),
})

/** Processes with this text in their environment, this one excepted. Linux only. */
const withEnvironment = (text: string): ReadonlyArray<number> =>
  readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid && read(`/proc/${pid}/environ`).includes(text))
    .filter((pid) => !/^$|\) [ZX] /.test(read(`/proc/${pid}/stat`)))

const read = (path: string): string =>
  Result.getOrElse(
    Result.try(() => readFileSync(path, "latin1")),
    () => "",
  )

const until = (isSo: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (isSo() ? Effect.void : Effect.andThen(Effect.sleep("100 millis"), until(isSo))))

/**
 * Runs something under a limit that is to pass. One that passed before the program came so far, as it may on a slow
 * machine, says nothing of what it does there: then under a longer one.
 *
 * @param cameThere whether it came so far
 */
export const limited = <A, E, R>(
  run: (seconds: number) => Effect.Effect<A, E, R>,
  cameThere: (ended: A) => boolean,
  seconds = 1,
): Effect.Effect<readonly [A, number], E, R> =>
  Effect.flatMap(run(seconds), (ended) =>
    cameThere(ended) || seconds > 50 ? Effect.succeed([ended, seconds] as const) : limited(run, cameThere, seconds * 3),
  )

/** A `zain` that ends with this exit code. */
export const ended = Effect.fnUntraced(function* <Zain extends InProcess.Ended>(
  code: number | string,
  started: Effect.Effect<Zain, never, Scope.Scope>,
) {
  const zain = yield* started
  assert.strictEqual(yield* zain.exit, code, zain.errors())
  return zain
})

/** Waits until a home has no running processes. */
export const untilEmpty = (home: Home): Effect.Effect<void> => until(() => home.alive().length === 0)
