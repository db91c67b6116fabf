import { createHash } from "node:crypto"
import { once } from "node:events"
import { realpathSync, symlinkSync } from "node:fs"
import { connect, createServer, type Socket } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe } from "@effect/vitest"
import { directory } from "@zain/testkit/Directory"
import { soon } from "@zain/testkit/Running"
import { test } from "@zain/testkit/Test"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import * as ThreadLock from "../src/ThreadLock.ts"
import * as ServerProcess from "../testing/ServerProcess.ts"

const program = fileURLToPath(new URL("./fixtures/thread-lock.ts", import.meta.url))
const threadId = "0b9798a0-5d25-4c19-b06d-2253eab1a740"
const [mine, theirs] = ["client-of-the-one-side", "client-of-the-other-side"]

/** Another process, which tries to hold the thread. */
const other = (place: string, client: string, ...more: ReadonlyArray<string>) =>
  Effect.map(ServerProcess.start([place, threadId, client, ...more], {}, program), (process) => ({
    pid: process.child.pid ?? 0,
    says: (what: string) => process.message(({ method }) => method === what),
    has: (what: string) => process.lines.some((line) => line.includes(`"${what}"`)),
    letGo: () => process.send("go"),
    signal: (signal: NodeJS.Signals) => process.child.kill(signal),
    exit: process.exit,
  }))

/** Another process, once it holds the thread. */
const holding = (place: string, client: string, ...more: ReadonlyArray<string>) =>
  Effect.tap(other(place, client, ...more), ({ says }) => says("held"))

const as =
  (client: string | undefined) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.provideService(effect, ThreadLock.Client, client)

const acquire = (lock: ThreadLock.ThreadLock, client?: string, letGo = () => {}) =>
  lock.acquire(threadId, letGo).pipe(as(client))

/** The process that holds the thread, according to a refused client. */
const heldBy = (place: string) =>
  ThreadLock.make(place)
    .isQueued(threadId)
    .pipe(
      as("client-of-neither-side"),
      Effect.match({
        onSuccess: () => undefined,
        onFailure: ({ message }) => Number(/held by process (\d+)/.exec(message)?.[1]),
      }),
    )

/** The lock's name must be the same in all versions of the server, so that they see each other. */
const nameOf = (place: string) => {
  const parts = JSON.stringify([process.getuid?.(), realpathSync(place), threadId])
  return `\0zain-thread-${createHash("sha256").update(parts).digest("hex")}`
}

/** A foreign program that has the name, and the messages that it receives. */
const stranger = Effect.fnUntraced(function* (place: string, met: (socket: Socket) => void) {
  const received: Array<string> = []
  const server = createServer((socket) => {
    socket.on("error", () => {}).on("data", (piece) => received.push(String(piece)))
    met(socket)
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => once(server.listen({ path: nameOf(place) }), "listening")),
    () => Effect.sync(() => server.close()),
  )
  return received
})

describe("the lock of a thread (promise 32)", () => {
  test.live(
    "fails immediately for another client, with the process that holds the thread and since when, and is free after SIGKILL of it",
    function* () {
      const place = yield* directory
      const holder = yield* holding(place, theirs)
      const lock = ThreadLock.make(place)
      for (const client of [mine, undefined]) {
        const error = yield* Effect.flip(acquire(lock, client))
        assert.strictEqual(error.reason, "thread-held")
        assert.include(error.message, `process ${holder.pid} since ${new Date().getUTCFullYear()}`)
        assert.match(error.message, /Close its session there/)
        const open = yield* Effect.flip(lock.isQueued(threadId).pipe(as(client)))
        assert.strictEqual(open.reason, "thread-held")
      }
      assert.isFalse(holder.has("wanted"))
      holder.signal("SIGKILL")
      yield* holder.exit
      yield* soon(acquire(lock, mine))
      assert.strictEqual(yield* heldBy(place), process.pid)
    },
  )

  test.live("waits for another process of the same client, which is asked once to release it", function* () {
    const place = yield* directory
    const holder = yield* holding(place, mine)
    const lock = ThreadLock.make(place)
    assert.isTrue(yield* lock.isQueued(threadId).pipe(as(mine)))
    assert.isFalse(holder.has("wanted"), "To look is not to wait.")
    const waiting = yield* Effect.forkChild(acquire(lock, mine))
    yield* soon(holder.says("wanted"))
    assert.isUndefined(waiting.pollUnsafe())
    holder.letGo()
    yield* soon(Fiber.join(waiting))
    assert.isFalse(yield* lock.isQueued(threadId).pipe(as(mine)))
  })

  test.live("goes to the waiting process before the process that released it", function* () {
    const place = yield* directory
    const lock = ThreadLock.make(place)
    const scope = yield* Scope.make()
    const wanted = yield* Deferred.make<void>()
    yield* acquire(lock, mine, () => Deferred.doneUnsafe(wanted, Exit.void)).pipe(Scope.provide(scope))
    const waiting = yield* other(place, mine)
    yield* Deferred.await(wanted)
    // It is slow to take what it is given.
    waiting.signal("SIGSTOP")
    yield* Scope.close(scope, Exit.void)
    const again = yield* Effect.forkChild(acquire(lock, mine), { startImmediately: true })
    for (const id of ["a", "b", "c"]) yield* lock.acquire(id, () => {})
    waiting.signal("SIGCONT")
    yield* soon(waiting.says("held"))
    assert.strictEqual(yield* heldBy(place), waiting.pid)
    yield* soon(waiting.says("wanted"))
    assert.isUndefined(again.pollUnsafe())
    waiting.letGo()
    yield* soon(Fiber.join(again))
    assert.strictEqual(yield* heldBy(place), process.pid)
  })

  test.live(
    "goes to a waiting process when the holder is killed, and not to one that was killed while it waited",
    function* () {
      const place = yield* directory
      const holder = yield* holding(place, mine)
      const waiting = yield* other(place, mine)
      yield* holder.says("wanted")
      const lock = ThreadLock.make(place)
      const mineToo = yield* Effect.forkChild(acquire(lock, mine), { startImmediately: true })
      assert.isTrue(yield* lock.isQueued(threadId).pipe(as(mine)))
      waiting.signal("SIGKILL")
      holder.signal("SIGKILL")
      yield* soon(Fiber.join(mineToo))
      assert.strictEqual(yield* heldBy(place), process.pid)
    },
  )

  test.live("can be awaited by any client once the holder is about to release it", function* () {
    const place = yield* directory
    const scope = yield* Scope.make()
    const { ending } = yield* acquire(ThreadLock.make(place), theirs).pipe(Scope.provide(scope))
    ending()
    const waiting = yield* Effect.forkChild(acquire(ThreadLock.make(place), mine), { startImmediately: true })
    const another = yield* ThreadLock.make(place).isQueued(threadId).pipe(as(mine))
    assert.isFalse(another)
    yield* Scope.close(scope, Exit.void)
    yield* soon(Fiber.join(waiting))
    assert.strictEqual(yield* heldBy(place), process.pid)
  })

  test.live("is no longer awaited by an interrupted turn", function* () {
    const place = yield* directory
    const holder = yield* holding(place, mine)
    const lock = ThreadLock.make(place)
    const waiting = yield* Effect.forkChild(acquire(lock, mine))
    yield* soon(holder.says("wanted"))
    yield* soon(Fiber.interrupt(waiting))
    holder.letGo()
    yield* soon(holder.exit)
    assert.isUndefined(yield* heldBy(place))
  })

  test.live("is not handed over once a second client has used the thread", function* () {
    const place = yield* directory
    const { join: joined } = yield* acquire(ThreadLock.make(place), mine)
    yield* joined.pipe(as(theirs))
    const { reason } = yield* soon(Effect.flip(acquire(ThreadLock.make(place), mine)))
    assert.strictEqual(reason, "thread-held")
  })

  test.live("is the same for every path to the agent's home, and another for another home or thread", function* () {
    const [place, apart] = [yield* directory, yield* directory]
    const link = join(apart, "link")
    symlinkSync(place, link)
    yield* acquire(ThreadLock.make(join(place, "not-made-yet")), mine)
    assert.strictEqual(
      (yield* Effect.flip(acquire(ThreadLock.make(join(link, "not-made-yet")), theirs))).reason,
      "thread-held",
    )
    yield* acquire(ThreadLock.make(apart), theirs)
    yield* ThreadLock.make(join(place, "not-made-yet"))
      .acquire("another", () => {})
      .pipe(as(theirs))
  })

  test.live("is taken from an ended process only, on a system where a socket's path outlives it", function* () {
    const place = yield* directory
    const holder = yield* holding(place, theirs, "darwin")
    const lock = ThreadLock.make(place, "darwin")
    assert.strictEqual((yield* Effect.flip(acquire(lock, mine))).reason, "thread-held")
    holder.signal("SIGKILL")
    yield* holder.exit
    yield* Effect.scoped(acquire(lock, mine))
    yield* acquire(lock, mine)
    assert.strictEqual((yield* Effect.flip(acquire(lock, theirs))).reason, "thread-held")
  })
})

describe.runIf(process.platform === "linux")("a foreign program that has the name of a lock", () => {
  const greeting = JSON.stringify({ pid: 7, since: "2026-01-01T00:00:00.000Z", nonce: "00" })

  test.live("is quoted with a limit and without invisible characters", function* () {
    const place = yield* directory
    yield* stranger(place, (socket) => socket.write(`\u001b[2J${"x".repeat(100_000)}`))
    const { message, reason } = yield* Effect.flip(acquire(ThreadLock.make(place), mine))
    assert.strictEqual(reason, "thread-held")
    assert.include(message, "u{1b}[2Jxxx")
    assert.notInclude(message, "\u001b")
    assert.isBelow(message.length, 500)
  })

  test.live.each([
    ["says nothing", () => {}],
    ["closes every connection", (socket: Socket) => void socket.destroy()],
  ] as const)("that %s is given up", function* ([_, met]) {
    const place = yield* directory
    yield* stranger(place, met)
    const { message } = yield* Effect.flip(acquire(ThreadLock.make(place), mine))
    assert.include(message, "a process that does not answer")
  })

  test.live("receives no client's id, and cannot replay the client's own proof", function* () {
    const place = yield* directory
    const received = yield* stranger(place, (socket) => {
      socket.write(`${greeting}\n`)
      socket.on("data", (piece) => socket.write(piece))
    })
    const { message, reason } = yield* Effect.flip(acquire(ThreadLock.make(place), mine))
    assert.strictEqual(reason, "thread-held")
    assert.include(message, "process 7 since 2026-01-01T00:00:00.000Z")
    assert.match(received.join(""), /"proof":"[0-9a-f]{64}"/)
    assert.notInclude(received.join(""), mine)
  })

  test.live("cannot make a holder release the lock, and is disconnected when it sends nothing", function* () {
    const place = yield* directory
    let isWanted = false
    yield* acquire(ThreadLock.make(place), mine, () => {
      isWanted = true
    })
    const texts = ['{"proof":7,"waits":true}\n', `{"proof":"${"0".repeat(64)}","waits":true}\n`, "x".repeat(10_000), ""]
    const answers = yield* Effect.promise(() =>
      Promise.all(
        texts.map(async (text) => {
          const socket = connect({ path: nameOf(place) })
          socket.on("error", () => {}).write(text)
          let heard = ""
          for await (const piece of socket) heard += piece
          return heard
        }),
      ),
    )
    assert.isFalse(isWanted)
    for (const answer of answers) {
      assert.include(answer, `"pid":${process.pid}`)
      assert.notInclude(answer, "proof")
      assert.notInclude(answer, mine)
    }
  })
})
