/**
 * A lock on threads across server processes: at most one process holds a thread, and a killed process holds none.
 *
 * The holder listens on a socket whose name is derived from the user, the agent's home and the thread. The kernel gives a name
 * to one process, and releases it when that process ends. Servers of one client hand a thread over: a server that requires it
 * proves that it serves the only client of the thread, and waits until the holder has released it.
 *
 * Processes in separate network namespaces, such as those of two containers, do not see each other's locks.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import { lstat, mkdir, unlink } from "node:fs/promises"
import { createConnection, createServer, type Server, type Socket } from "node:net"
import { userInfo } from "node:os"
import { join, resolve } from "node:path"
import { clip, maxEchoLength } from "@zain/command/Clip"
import { visible } from "@zain/core/TerminalText"
import * as FollowedPath from "@zain/process/FollowedPath"
import { parseObject } from "@zain/process/JsonRpc"
import * as JsonText from "@zain/process/JsonText"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { AgentError } from "./AgentError.ts"
import { type JsonObject, textOf } from "./JsonMember.ts"

/** The secret id of the caller's client. With `undefined`, no thread is handed over. */
export const Client = Context.Reference<string | undefined>("ThreadLock/Client", { defaultValue: () => undefined })

/** The lock on a thread. */
export interface ThreadHold {
  /** Records that the caller's client uses the thread too. */
  readonly join: Effect.Effect<void>
  /** The Scope is about to close: from now on servers of other clients wait for the lock too. */
  readonly ending: () => void
}

/** The locks of one agent's threads. */
export interface ThreadLock {
  /**
   * Locks a thread for the caller's client until the Scope closes. Waits, as long as the caller does, for another server of
   * that client; fails with `thread-held` for any other holder.
   *
   * @param letGo called once when another server of the client requires the thread. Returns immediately; the Scope closes
   *    when no turn of the thread is running
   */
  readonly acquire: (threadId: string, letGo: () => void) => Effect.Effect<ThreadHold, AgentError, Scope.Scope>
  /** Whether another server of the caller's client holds the thread. Fails with `thread-held` for any other holder. */
  readonly isQueued: (threadId: string) => Effect.Effect<boolean, AgentError>
}

/** Limit of a line, in characters, and of the connections to a holder. */
const [maxLineLength, maxConnections] = [512, 64]

/** Time limits, in milliseconds: of a peer without a proof, and of a waiting peer to take the name. */
const [strangerTimeoutMillis, handOverTimeoutMillis] = [2_000, 1_000]

/** How often a holder that does not answer is retried, and the delay between two tries, in milliseconds. */
const [maxTries, tryAgain] = [20, 50]

/** @param home the agent's home, which holds its threads */
export const make = (home: string, platform: NodeJS.Platform = process.platform): ThreadLock => {
  const held = new Set<string>()
  const leaving = new Map<string, Promise<void>>()
  const nameOf = (threadId: string) => Effect.tryPromise({ try: () => name(home, threadId, platform), catch: failed })

  /** Takes the name, or returns `undefined` when it is taken. */
  const take = (name: string, letGo: () => void) =>
    Effect.gen(function* () {
      const clients = new Set([yield* Client])
      const waiting = new Set<Socket>()
      const since = new Date().toISOString()
      let [isWanted, isEnding, isOver] = [false, false, false]
      const wait = (socket: Socket) => {
        if (isOver) return void socket.end()
        waiting.add(socket.once("close", () => waiting.delete(socket)))
      }
      const server = yield* listen(name, (socket) => {
        if (isEnding) wait(socket)
        greet(socket, { since, isEnding }, clients, () => {
          wait(socket)
          if (!isWanted) letGo()
          isWanted = true
        })
      })
      if (server === undefined) return undefined
      held.add(name)
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          isOver = true
          held.delete(name)
          // The name is free from here on. Waiting servers take it before this one takes it again.
          server.close()
          const left = [...waiting].map((socket) => new Promise((resolve) => socket.end().once("close", resolve)))
          const late = setTimeout(() => waiting.forEach((socket) => void socket.destroy()), handOverTimeoutMillis)
          const gone = Promise.all(left).then(() => {
            clearTimeout(late)
            if (leaving.get(name) === gone) leaving.delete(name)
          })
          leaving.set(name, gone)
        }),
      )
      const ending = () => {
        isEnding = true
      }
      return { join: Effect.map(Client, (client) => void clients.add(client)), ending }
    }).pipe(Effect.uninterruptible)

  return {
    acquire: Effect.fnUntraced(function* (threadId, letGo) {
      const scope = yield* Effect.scope
      const name = yield* nameOf(threadId)
      const taken = Scope.provide(take(name, letGo), scope)
      yield* Effect.promise(() => leaving.get(name) ?? Promise.resolve())
      let hold = yield* taken
      for (let tries = 0; hold === undefined; ) {
        const wait = Effect.gen(function* () {
          const { ended, isOurs } = yield* ask(name, threadId, true)
          if (!isOurs && ++tries > maxTries) return yield* heldBy(threadId, undefined)
          yield* ended
          return yield* taken
        })
        hold = yield* Effect.scoped(wait)
      }
      return hold
    }),
    isQueued: (threadId) =>
      Effect.gen(function* () {
        const name = yield* nameOf(threadId)
        if (held.has(name)) return false
        return (yield* ask(name, threadId, false)).isOurs
      }).pipe(Effect.scoped),
  }
}

const name = async (home: string, threadId: string, platform: NodeJS.Platform): Promise<string> => {
  const user = process.getuid?.() ?? userInfo().username
  const hash = createHash("sha256")
    .update(JSON.stringify([user, (await FollowedPath.follow(resolve(home))).place, threadId]))
    .digest("hex")
  if (platform === "linux") return `\0zain-thread-${hash}`
  return platform === "win32"
    ? `\\\\.\\pipe\\zain-thread-${hash}`
    : join(await socketDirectory(user), hash.slice(0, 40))
}

/** Paths of sockets are limited to about 100 bytes, and all processes of the user need the same one. */
const socketDirectory = async (user: number | string): Promise<string> => {
  const path = `/tmp/zain-threads-${user}`
  await mkdir(path, { mode: 0o700 }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== "EEXIST") throw cause
  })
  const found = await lstat(path)
  if (!found.isDirectory() || found.uid !== user || (found.mode & 0o077) !== 0) {
    throw new Error(`${path} is not a directory of yours alone: remove it`)
  }
  return path
}

/** A server that has the name, or `undefined` when the name is taken. It does not keep the process alive. */
const listen = (name: string, connected: (socket: Socket) => void) =>
  Effect.callback<Server | undefined, AgentError>((resume) => {
    const server = createServer(connected).unref()
    server.maxConnections = maxConnections
    server.on("error", (cause: NodeJS.ErrnoException) =>
      resume(cause.code === "EADDRINUSE" ? Effect.succeed(undefined) : Effect.fail(failed(cause))),
    )
    server.listen({ path: name }, () => resume(Effect.succeed(server)))
  })

const failed = (cause: unknown) =>
  new AgentError({ reason: "start-failed", message: `The thread could not be locked: ${String(cause)}.` })

/**
 * Tells a peer which process holds the name; a peer that proves to serve the same client may wait for it.
 *
 * @param wanted called when a peer with a proof waits for the name
 */
const greet = (
  socket: Socket,
  state: { readonly since: string; readonly isEnding: boolean },
  clients: ReadonlySet<string | undefined>,
  wanted: () => void,
): void => {
  const { line } = reading(socket.unref())
  const [client] = clients.size === 1 ? clients : []
  const nonce = randomBytes(16).toString("hex")
  const limit = setTimeout(() => socket.destroy(), strangerTimeoutMillis).unref()
  socket.once("close", () => clearTimeout(limit))
  say(socket, { pid: process.pid, ...state, nonce })
  void line().then((text) => {
    const said = parse(text)
    const isOurs = client !== undefined && isProof(textOf(said, "proof"), client, `wants ${nonce}`)
    if (!isOurs) return void socket.end("{}\n")
    clearTimeout(limit)
    say(socket, { proof: proof(client, `holds ${textOf(said, "nonce")}`) })
    if (said["waits"] === true) wanted()
    else socket.end()
  })
}

/**
 * Asks a holder for its state. `isOurs`: it proved to serve the same client. `ended`: it has released the name, or should be
 * asked again. Fails with `thread-held` for a server of another client.
 *
 * @param waits whether the holder should release the name
 */
const ask = Effect.fnUntraced(function* (name: string, threadId: string, waits: boolean) {
  const client = yield* Client
  const socket = yield* Effect.acquireRelease(
    Effect.sync(() => createConnection({ path: name, allowHalfOpen: true })),
    (socket) => Effect.sync(() => socket.destroy()),
  )
  const { ended, line } = reading(socket)
  const next = Effect.promise(line).pipe(
    Effect.timeoutOrElse({ duration: strangerTimeoutMillis, orElse: () => heldBy(threadId, undefined) }),
  )
  const whenEnded = Effect.promise(() => ended)
  const gone = { isOurs: false, ended: Effect.sleep(tryAgain) }
  const greeting = yield* next
  if (greeting === undefined) {
    yield* Effect.promise(() => removeStale(socket, name))
    return gone
  }
  const holder = parse(greeting)
  if (holder["isEnding"] === true)
    return { isOurs: false, ended: Effect.timeoutOption(whenEnded, strangerTimeoutMillis) }
  const nonce = textOf(holder, "nonce")
  if (client === undefined || nonce === undefined) return yield* heldBy(threadId, greeting)
  const own = randomBytes(16).toString("hex")
  say(socket, { proof: proof(client, `wants ${nonce}`), nonce: own, waits })
  const answer = yield* next
  if (answer === undefined) return gone
  if (isProof(textOf(parse(answer), "proof"), client, `holds ${own}`)) return { isOurs: true, ended: whenEnded }
  return yield* heldBy(threadId, greeting)
})

/**
 * Removes the path of a socket whose process was killed (macOS). Two processes that do so at the same moment may both take
 * the name. On Linux and Windows, names end with their sockets.
 */
const removeStale = async (socket: Socket, name: string): Promise<void> => {
  const { code } = (socket.errored ?? {}) as NodeJS.ErrnoException
  if (code === "ECONNREFUSED" && name.startsWith("/")) await unlink(name).catch(() => {})
}

/** @param greeting the holder's first line; `undefined` without one */
const heldBy = (threadId: string, greeting: string | undefined) => {
  const { pid, since } = parse(greeting)
  const isKnown = Number.isSafeInteger(pid) && typeof since === "string" && /^[\d:.TZ-]{20,30}$/.test(since)
  const words =
    greeting === undefined ? "does not answer" : `answers ${JSON.stringify(visible(clip(greeting, maxEchoLength)))}`
  const who = isKnown ? `process ${pid} since ${since}` : `a process that ${words}`
  return Effect.fail(
    new AgentError({
      reason: "thread-held",
      message: `Thread ${clip(threadId, maxEchoLength)} is held by ${who}. Close its session there, or end that process. Then open the session again.`,
    }),
  )
}

/** `line`: the next line, cut at `maxLineLength`; `undefined` at the end. */
const reading = (socket: Socket) => {
  let text = ""
  let isOver = false
  let look = () => {}
  const ended = new Promise<void>((resolve) => {
    const end = () => {
      isOver = true
      look()
      resolve()
    }
    socket.on("end", end).on("close", end)
  })
  socket.setEncoding("utf8").on("error", () => {})
  socket.on("data", (piece: string) => {
    text += piece.slice(0, 2 * maxLineLength - text.length)
    look()
  })
  const line = () =>
    new Promise<string | undefined>((resolve) => {
      look = () => {
        const at = text.indexOf("\n")
        const end = at >= 0 ? at : maxLineLength
        if (at < 0 && text.length < maxLineLength && !isOver) return
        resolve(text === "" ? undefined : text.slice(0, end))
        text = text.slice(end + 1)
        look = () => {}
      }
      look()
    })
  return { line, ended }
}

const say = (socket: Socket, message: object) => void socket.write(`${JsonText.write(message)}\n`)

const parse = (line: string | undefined): JsonObject => parseObject(line ?? "") ?? {}

/** Proves knowledge of the client's id. Holder and peer sign different texts, so that neither proof can be replayed to its author. */
const proof = (client: string, text: string): string => createHmac("sha256", client).update(text).digest("hex")

const isProof = (given: string | undefined, client: string, text: string): boolean => {
  const [left, right] = [Buffer.from(given ?? ""), Buffer.from(proof(client, text))]
  return left.length === right.length && timingSafeEqual(left, right)
}
