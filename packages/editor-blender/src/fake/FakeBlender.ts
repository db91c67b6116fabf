/**
 * A fake of Blender with the bridge of this package: JSON-RPC 2.0, each message after its length, and a token first.
 *
 * @see PROTOCOL.md
 */
import { randomBytes } from "node:crypto"
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type CommonFault, commonFaults, Faults } from "@zain/editor-link/fake/EditorFault"
import * as FakeEditor from "@zain/editor-link/fake/FakeEditor"
import type { FakeProtocol } from "@zain/editor-link/fake/FakeProtocol"
import * as Wire from "@zain/editor-link/fake/LengthPrefixWire"
import { isDeeper, jsonRpcAnswer, type Outcome } from "@zain/editor-link/fake/Params"
import { isRecord } from "@zain/process/JsonRpc"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { plainFailure } from "./BlenderFailure.ts"
import * as BlenderMethods from "./BlenderMethods.ts"
import { BlenderState } from "./BlenderState.ts"

/** The faults that this protocol has beside those of every fake. */
const ownFaults = ["busy", "defect"] as const

export type BlenderFault = CommonFault | (typeof ownFaults)[number]
export const blenderFaults: ReadonlyArray<BlenderFault> = [...commonFaults, ...ownFaults]

export interface FakeBlenderOptions extends FakeEditor.FakeOptions<BlenderFault> {
  /** Where the bridge leaves its file; nowhere if absent. */
  readonly directory?: string
  /** The process that it names there (default: this one). */
  readonly pid?: number
}

/** `token`: what `hello` has to have; `changed`: the scene was changed by hand. */
export interface FakeBlender extends FakeEditor.FakeEditor<BlenderFault> {
  readonly token: Redacted.Redacted
  readonly changed: Effect.Effect<void>
}

/** How deep messages may be, the version of the bridge, and of Blender. */
const [maxDepth, bridge, version] = [64, "1", "3.4.1"]

/** The least time between two notices, in milliseconds. */
const betweenNotices = 250

/** Starts it; it ends with the Scope, and its file is removed. Fails where it cannot listen. */
export const start = Effect.fnUntraced(function* (
  options: FakeBlenderOptions = {},
): Effect.fn.Return<FakeBlender, Error, Scope.Scope> {
  const { directory, pid = process.pid, project = "" } = options
  const faults = new Faults()
  const run = yield* FiberSet.makeRuntime()
  const clock = yield* Clock.Clock
  const token = randomBytes(32).toString("hex")
  let [last, isPending] = [Number.NEGATIVE_INFINITY, false]
  /** Notifies every connection, not more often than it may. */
  const changed = () => {
    if (isPending) return
    isPending = true
    const wait = Math.max(0, last + betweenNotices - clock.currentTimeMillisUnsafe())
    const notify = Effect.suspend(() => {
      isPending = false
      last = clock.currentTimeMillisUnsafe()
      return editor.control.send(protocol.aside())
    })
    run(wait === 0 ? notify : Effect.delay(notify, wait))
  }
  const protocol = protocolOf(faults, { project, pid, token, changed })
  const editor = yield* FakeEditor.listen(protocol, faults, options)
  if (directory !== undefined) {
    const path = join(directory, `${pid}.json`)
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        mkdirSync(directory, { recursive: true, mode: 0o700 })
        const content = { pid, port: editor.port, token, file: project, version: bridge }
        writeFileSync(`${path}.tmp`, JSON.stringify(content), { mode: 0o600 })
        renameSync(`${path}.tmp`, path)
      }),
      () => Effect.sync(() => rmSync(path, { force: true })),
    )
  }
  return { ...editor, token: Redacted.make(token), changed: Effect.sync(changed) }
})

interface About {
  readonly project: string
  readonly pid: number
  readonly token: string
  readonly changed: () => void
}

const keyOf = (connection: number, id: unknown) => `${connection} ${JSON.stringify(id)}`

const protocolOf = (faults: Faults, { changed, pid, project, token }: About): FakeProtocol => {
  const state = new BlenderState(project)
  /** The connections that have said `hello`. */
  const welcome = new Set<number>()
  /** The requests that wait for the main thread, and whether they were cancelled. */
  const waiting = new Map<string, boolean>()

  const carriedOut = (request: unknown, method: string, params: unknown): Outcome => {
    if (isDeeper(request, maxDepth)) return plainFailure(-32600, `A message has at most ${maxDepth} levels.`)
    if (!isRecord(params)) return plainFailure(-32602, "`params` is no object.")
    const before = state.scene
    const outcome = BlenderMethods.call(method, params, state)
    if (state.scene !== before) changed()
    return outcome
  }

  const hello = () => {
    const file = faults.take("wrong-project") ? FakeEditor.wrongProject : state.file
    return { blender: version, bridge, pid, file, background: true, files: BlenderMethods.filesDirectory, code: true }
  }

  return {
    ...Wire,
    /** One write, so that what is answered beside cannot fall between its parts. */
    frame: (text) => [Buffer.concat(Wire.frame(text))],
    noise: Buffer.from("Blender 3.4.1 (a line of a log that belongs to no frame)\n"),
    isShared: true,
    read: (pile) => {
      // What Unity takes for an empty message is none here.
      if (pile.length >= 4 && pile.view(0, 4).readInt32BE() === 0) return { _tag: "close" }
      const read = Wire.read(pile)
      return read._tag === "skip" ? { _tag: "close" } : read
    },
    aside: () => JSON.stringify({ jsonrpc: "2.0", method: "scene.changed", params: {} }),
    accepts: (value, connection) => {
      if (!isRecord(value)) return false
      const { id, method, params } = value
      if (welcome.has(connection)) {
        if (method !== "cancel" && method !== "health") waiting.set(keyOf(connection, id), false)
        return true
      }
      const isRight = method === "hello" && isRecord(params) && params["token"] === token
      if (isRight) welcome.add(connection)
      return isRight
    },
    beside: (text, connection) => {
      const { id, method, params } = JSON.parse(text) as Readonly<Record<string, unknown>>
      if (method === "health") {
        return jsonRpcAnswer(id, { result: { running: null, queued: waiting.size, file: state.file } })
      }
      if (method !== "cancel") return undefined
      const key = keyOf(connection, isRecord(params) ? params["id"] : undefined)
      const cancelled = waiting.has(key)
      if (cancelled) waiting.set(key, true)
      return jsonRpcAnswer(id, { result: { cancelled } })
    },
    exchange: (request, connection) => {
      const { id = null, method, params = {} } = isRecord(request) ? request : {}
      const key = keyOf(connection, id)
      const isCancelled = waiting.get(key) === true
      waiting.delete(key)
      const isGreeting = method === "hello"
      const outcome = isCancelled
        ? plainFailure(-32800, "The request was cancelled.")
        : isGreeting
          ? { result: hello() }
          : carriedOut(request, String(method), params)
      return {
        isGreeting,
        answer: jsonRpcAnswer(id, outcome),
        succeed: (result) => jsonRpcAnswer(id, { result }),
        stranger: jsonRpcAnswer("0", { result: { text: "of another call" } }),
        unreadable: jsonRpcAnswer(null, plainFailure(-32700, "The message could not be read.")),
        variants: {
          busy: jsonRpcAnswer(id, plainFailure(-32000, "64 requests wait for Blender, and no more can.")),
          defect: jsonRpcAnswer(id, plainFailure(-32603, "The bridge failed.")),
        },
      }
    },
  }
}
