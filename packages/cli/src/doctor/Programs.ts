/**
 * Agents as programs: started for a question, in a directory with nothing in it, and ended.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Environment from "@zain/sdk-client/Environment"
import * as AgentProcess from "@zain/sdk-client/stdio/AgentProcess"
import * as HostGuard from "@zain/sdk-client/stdio/HostGuard"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Variables } from "../SafePath.ts"

/**
 * - `output`: what it printed, at most 64 KiB of it
 * - `exitCode`: `undefined` for one that was ended by a signal, or by its time
 * - `errors`: the end of its standard error, without colours and secrets
 */
export interface Printed {
  readonly output: string
  readonly exitCode: number | undefined
  readonly errors: string
}

/**
 * - `run`: what a command prints; `undefined` if it could not be started. Its input is empty
 * - `ask`: says lines to a program, and hears its own until `answer` has what it wants
 * - `directory`: where they work
 */
export interface Programs {
  readonly run: (program: string, args: ReadonlyArray<string>) => Effect.Effect<Printed | undefined>
  readonly ask: <A>(
    program: string,
    args: ReadonlyArray<string>,
    answer: (line: string, say: (message: object) => void) => A | undefined,
    first: object,
  ) => Effect.Effect<A | undefined>
  readonly directory: string
}

/** A question takes tenths of a second; the first start of a large program takes more. */
const limit = Duration.seconds(20)
const outputLimit = 64 * 1024

/** Nothing is updated, reported or looked up on the way. */
const quiet: Readonly<Record<string, string>> = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_AUTOUPDATER: "1",
  NO_COLOR: "1",
}

/** What reaches agents of the host's environment, as with the agent server. */
export const passed: ReadonlyArray<string> = [
  "CODEX_*",
  "OPENAI_*",
  "CLAUDE_CONFIG_DIR",
  "CLAUDE_CODE_*",
  "ANTHROPIC_*",
  "XDG_STATE_HOME",
  ...Environment.proxies,
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "NODE_EXTRA_CA_CERTS",
]

/** What they get in place of the host's. */
export const variables = (path: string): Readonly<Record<string, string>> => ({ ...quiet, PATH: path })

/**
 * Whatever is started ends with the Scope, and the directory goes with it.
 *
 * @param env the host's environment
 * @param path where they find programs themselves
 */
export const make = (env: Variables, path: string): Effect.Effect<Programs, never, Scope.Scope> =>
  Effect.gen(function* () {
    const guard = yield* HostGuard.make
    const directory = yield* privateDirectory(guard)
    const given = Environment.make(env, passed, { env: {} })
    const target = (command: string, args: ReadonlyArray<string>) => ({
      transport: "stdio" as const,
      command,
      args,
      cwd: directory,
      env: { ...given.env, ...variables(path) },
      secrets: given.secrets,
      closeGrace: Duration.seconds(1),
      maxMessageBytes: outputLimit,
    })
    const start = (command: string, args: ReadonlyArray<string>) => AgentProcess.start(target(command, args), guard)

    return {
      directory,
      run: (program, args) =>
        bounded(
          Effect.flatMap(start(program, args), ({ diagnostics, onEnd, stdin, stdout }) =>
            Effect.callback<Printed>((resume) => {
              let output = ""
              stdin.end()
              stdout.setEncoding("utf8")
              stdout.on("data", (piece: string) => {
                if (output.length < outputLimit) output += piece
              })
              onEnd(({ exitCode }) => {
                const errors = diagnostics().stderrTail ?? ""
                resume(Effect.succeed({ output, errors, exitCode: exitCode ?? undefined }))
              })
            }),
          ),
        ),
      ask: <A>(
        program: string,
        args: ReadonlyArray<string>,
        answer: (line: string, say: (message: object) => void) => A | undefined,
        first: object,
      ) =>
        bounded(
          Effect.flatMap(start(program, args), ({ onEnd, stdin, stdout }) =>
            Effect.callback<A | undefined>((resume) => {
              let rest = ""
              const say = (message: object) => void stdin.write(`${JSON.stringify(message)}\n`)
              stdout.setEncoding("utf8")
              stdout.on("data", (piece: string) => {
                const lines = (rest + piece).split("\n")
                rest = (lines.pop() ?? "").slice(0, outputLimit)
                for (const line of lines) {
                  const found = answer(line, say)
                  if (found !== undefined) return resume(Effect.succeed(found))
                }
              })
              onEnd(() => resume(Effect.succeed(undefined)))
              say(first)
            }),
          ),
        ),
    }
  })

/** Nothing comes of what cannot be started, or does not end. */
const bounded = <A, E>(work: Effect.Effect<A | undefined, E, Scope.Scope>): Effect.Effect<A | undefined> =>
  Effect.scoped(work).pipe(
    Effect.timeoutOrElse({ duration: limit, orElse: () => Effect.succeed(undefined) }),
    Effect.catch(() => Effect.succeed(undefined)),
  )

const privateDirectory = (guard: HostGuard.HostGuard) =>
  Effect.acquireRelease(
    Effect.tap(
      Effect.promise(() => mkdtemp(join(tmpdir(), "zain-doctor-"))),
      (path) => Effect.sync(() => guard.protectDirectory(path)),
    ),
    (path) =>
      Effect.promise(() => rm(path, { recursive: true, force: true, maxRetries: 3 }).catch(() => {})).pipe(
        Effect.tap(() => Effect.sync(() => guard.releaseDirectory(path))),
      ),
  )
