/**
 * Fake agents in the test's process, without a program. What is about the program itself starts it: `OwnedProcess.start`.
 */
import { join } from "node:path"
import { PassThrough, Writable } from "node:stream"
import type { OwnedProcess, ProcessCommand, ProcessEnd } from "@zain/process/OwnedProcess"
import * as Redactor from "@zain/process/Redactor"
import * as StderrTail from "@zain/process/StderrTail"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as ContractScript from "../src/ContractScript.ts"
import * as FakeConversations from "../src/FakeConversations.ts"
import type { Agent, Place, RunningAgent } from "../src/FakeDialect.ts"

/** What a fake uses of its process, beside its `Place`: of a program, Node's `process`. */
export interface Self {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly pid: number
  readonly stdout: { readonly write: (text: string) => unknown }
  readonly stderr: { readonly write: (text: string) => unknown }
  /** Returns where it is no program, and then nothing more is sent or received. */
  readonly exit: (code: number) => void
}

/** The module of an agent, whose second parameter is by default Node's `process`. */
export interface Fake extends Pick<Agent, "command"> {
  readonly make: (place: Place, self?: Self) => RunningAgent
}

let started = 0

/** The `start` of an `AgentCommand`. */
export type Start = (command: ProcessCommand) => Effect.Effect<OwnedProcess, never, Scope.Scope>

/**
 * Starts a fake instead of its program.
 *
 * @param directory holds the conversations, as that of `FakeAgent.install`
 * @param running receives the negative numbers of those that run
 */
export const start = (fake: Fake, directory: string, running: Set<number>): Start => {
  const conversations = FakeConversations.make(join(directory, `${fake.command}-conversations`))
  return (command) =>
    Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => launch(fake, conversations, command, running)),
        ({ end, stdin }, exit) =>
          Effect.promise(async () => {
            if (exit._tag === "Success") await new Promise((resolve) => stdin.end(() => setImmediate(resolve)))
            end({ exitCode: null, signal: "SIGKILL" })
          }),
      ),
      ({ process }) => process,
    )
}

/** How long reading the output may take after the end, in milliseconds. */
const drainTimeoutMillis = 150

const launch = (
  fake: Fake,
  conversations: FakeConversations.Conversations,
  command: ProcessCommand,
  running: Set<number>,
) => {
  const pid = -++started
  running.add(pid)
  const tail = StderrTail.make(Redactor.make(command.secrets))
  const stdout = new PassThrough()
  const listeners: Array<(end: ProcessEnd) => void> = []
  let ended: ProcessEnd | undefined
  let isDrained = false

  const end = (how: ProcessEnd) => {
    if (ended !== undefined) return
    ended = how
    running.delete(pid)
    const drain = () => {
      if (isDrained) return
      isDrained = true
      for (const listener of listeners) listener(how)
    }
    stdout.once("close", drain).end()
    setTimeout(drain, drainTimeoutMillis)
  }
  const write = (text: string) => ended === undefined && stdout.write(text)
  const complain = (text: string) => tail.push(Buffer.from(text))
  const exit = (exitCode: number) => end({ exitCode, signal: null })

  let agent: RunningAgent | undefined
  let rest = ""
  // As from a pipe: never in the turn of the event loop in which it was written.
  const deliver = (text: string, done: () => void) =>
    void setImmediate(() => {
      const lines = (rest + text).split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) if (ended === undefined) agent?.receive(JSON.parse(line))
      done()
    })
  const stdin = new Writable({
    decodeStrings: false,
    write: (piece, _, done) => deliver(piece, done),
    writev: (pieces, done) => deliver(pieces.map(({ chunk }) => chunk).join(""), done),
    final: (done) => {
      if (ended === undefined) agent?.inputEnded()
      done()
    },
  })
  const place: Place = {
    args: command.args,
    cwd: command.cwd ?? process.cwd(),
    conversations,
    decide: ContractScript.decide,
    send: (message) => void write(`${JSON.stringify(message)}\n`),
    saw: () => {},
    leave: (status, lastWords) => {
      if (lastWords !== undefined) complain(`${lastWords}\n`)
      exit(status)
    },
    crash: () => exit(42),
  }
  agent = fake.make(place, { env: command.env, pid, stdout: { write }, stderr: { write: complain }, exit })
  const owned: OwnedProcess = {
    stdin,
    stdout,
    onEnd: (listener) => (isDrained && ended !== undefined ? listener(ended) : void listeners.push(listener)),
    unref: () => {},
    diagnostics: () => {
      const stderrTail = tail.text()
      return {
        ...(typeof ended?.exitCode === "number" ? { exitCode: ended.exitCode } : {}),
        ...(typeof ended?.signal === "string" ? { signal: ended.signal } : {}),
        ...(stderrTail === "" ? {} : { stderrTail }),
      }
    },
  }
  return { process: owned, stdin, end }
}
