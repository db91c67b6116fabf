/**
 * The misbehaving server as the suite uses it: its place, and what it received.
 */
import { randomUUID } from "node:crypto"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { McpTransport } from "@zain/core/McpTransport"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { compileCache, isAlive } from "../FakePeerLog.ts"
import type { FaultSubject, Place } from "./FaultSubject.ts"
import * as HttpPeerProcess from "./HttpPeerProcess.ts"
import type { Given } from "./peer/Behaviour.ts"
import type { Note } from "./peer/Notes.ts"

/**
 * What one fault's server received. `calls`: the params of its calls. `cancels`: the number of cancelled calls. `underWay`:
 * the HTTP requests that the client has not closed. `alive`: its processes, sessions and connections that still exist.
 */
export interface Seen {
  readonly calls: ReadonlyArray<string>
  readonly cancels: number
  readonly underWay: number
  readonly alive: ReadonlyArray<string>
  readonly complaints: ReadonlyArray<string>
  readonly resumes: ReadonlyArray<number>
}

/**
 * - `secret`: what the client sends as a credential, and the server echoes
 * - `place`: the place of a fault's server, by the fault's id
 * - `seen`: what a fault's server received
 * - `answered`: the next answer of the one server of all sessions to something else; absent where each session has its own
 * - `leftovers`: what still exists for any fault
 * - `isExact`: whether `alive` is up to date without waiting
 * - `forget`: clears what was received
 */
export interface FaultPeer {
  readonly secret: string
  readonly isExact: boolean
  readonly place: (fault: string) => Place
  readonly seen: (fault: string) => Effect.Effect<Seen>
  readonly answered?: Effect.Effect<unknown>
  readonly leftovers: Effect.Effect<ReadonlyArray<string>>
  readonly forget: Effect.Effect<void>
}

/** The id of the healthy server of the session beside the trial. */
export const sibling = "sibling"

const extension = import.meta.url.endsWith(".ts") ? "ts" : "js"

/** The peer's program. */
export const program = fileURLToPath(new URL(`./peer/FaultPeerProcess.${extension}`, import.meta.url))

/** Makes the server of a subject, which ends with the Scope. */
export const make = (subject: FaultSubject, transport: McpTransport): Effect.Effect<FaultPeer, never, Scope.Scope> => {
  const secret = `zain-secret-${randomUUID()}`
  const given = { answer: JSON.stringify(subject.answer), dialect: subject.dialect ?? {} }
  return transport === "stdio" ? overStdio(given, secret) : overHttp(transport, given, secret)
}

/** A temporary directory, removed with the Scope. */
export const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "zain-faults-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true })),
)

const overStdio = (given: Given, secret: string) =>
  Effect.map(directory, (logs): FaultPeer => {
    const logOf = (fault: string) => join(logs, `${fault}.log`)
    const names = () => readdirSync(logs).filter((name) => name.endsWith(".log"))
    const aliveIn = (notes: ReadonlyArray<Note>) =>
      notes.flatMap((note) => (note.what === "started" && isAlive(note) ? [`process ${note.pid}`] : []))
    return {
      secret,
      isExact: true,
      place: (fault) => ({
        transport: "stdio",
        command: process.execPath,
        args: [program, "stdio", fault, JSON.stringify({ ...given, log: logOf(fault) })],
        // The program starts hundreds of times; the cache makes each start three times as fast.
        env: { ZAIN_FAULT_SECRET: secret, NODE_COMPILE_CACHE: join(logs, "cache"), ...compileCache() },
      }),
      seen: (fault) =>
        Effect.sync(() => {
          const notes = read(logOf(fault))
          const texts = (what: Note["what"]) =>
            notes.flatMap((note) => (note.what === what && note.what !== "started" ? [note.text] : []))
          const cancels = texts("cancelled").length
          const complaints = texts("complaint")
          return { calls: texts("call"), cancels, underWay: 0, alive: aliveIn(notes), complaints, resumes: [] }
        }),
      leftovers: Effect.sync(() => names().flatMap((name) => aliveIn(read(join(logs, name))))),
      forget: Effect.sync(() => {
        for (const name of names()) rmSync(join(logs, name))
      }),
    }
  })

const read = (file: string): ReadonlyArray<Note> => {
  try {
    const lines = readFileSync(file, "utf8").split("\n").slice(0, -1)
    return lines.map((line) => JSON.parse(line) as Note)
  } catch {
    return []
  }
}

const overHttp = (transport: "streamable-http" | "sse", given: Given, secret: string) =>
  Effect.map(HttpPeerProcess.start(program, { ...given, secret }), ({ ask, closedPort, port }): FaultPeer => {
    const leaf = transport === "sse" ? "sse" : "mcp"
    return {
      secret,
      isExact: false,
      place: (fault) => ({
        transport,
        url: `http://127.0.0.1:${fault === "refused" ? closedPort : port}/${fault}/${leaf}`,
        headers: { authorization: `Bearer ${secret}` },
      }),
      seen: (fault) =>
        Effect.map(ask(`observe ${fault}`), ({ calls, complaints, requests, resumes, sessions, underWay }) => ({
          calls,
          resumes,
          cancels: requests.filter(({ kind }) => kind === "cancelled").length,
          underWay,
          alive: [
            ...(sessions === 0 ? [] : [`${sessions} sessions`]),
            ...(underWay === 0 ? [] : [`${underWay} calls under way`]),
          ],
          complaints,
        })),
      answered: Effect.andThen(Effect.sleep(15), ask("observe nothing")),
      leftovers: Effect.map(ask(`observe ${sibling}`), ({ sessions, sockets }) => [
        ...(sockets === 0 ? [] : [`${sockets} sockets`]),
        ...(sessions === 0 ? [] : [`${sessions} sessions of the sibling`]),
      ]),
      forget: Effect.asVoid(ask("reset")),
    }
  })
