/**
 * A connection to an editor that outlives the editor's reloads: calls wait for it, and each ends with its own outcome.
 *
 * @see EditorLink
 */
import * as JsonText from "@zain/process/JsonText"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Latch from "effect/Latch"
import * as Queue from "effect/Queue"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import type { Arguments } from "../../domain/Catalogue.ts"
import { type DomainError, ofEditor } from "../../domain/DomainError.ts"
import type { EditorProfile, Hello, HelloOptions, Notice } from "../../domain/EditorProfile.ts"
import type { CallLog } from "../../domain/models/Requests.ts"
import * as CallQueue from "./CallQueue.ts"
import { type Carrier, type Connect, usualMaxFrame } from "./Carrier.ts"
import * as Deadlines from "./Deadlines.ts"
import * as EditorHandshake from "./EditorHandshake.ts"
import * as LinkErrors from "./LinkErrors.ts"
import * as LinkState from "./LinkState.ts"
import { hiddenToken, launchedOf, type Target } from "./Target.ts"

export interface CallOptions {
  /** How long the call may take from when it is sent. */
  readonly deadline: Duration.Duration
  /** Whether it may be sent again, once, when its outcome was lost. */
  readonly isRepeatable: boolean
  /** Receives what becomes of it. */
  readonly log?: CallLog | undefined
}

export interface EditorLink {
  /** Starts to connect once; does nothing if connecting would start the editor. */
  readonly open: Effect.Effect<void>
  /** Makes a call. It waits up to `grace` for a lost editor; before the first connection it makes one attempt. */
  readonly request: (method: string, params: Arguments, options: CallOptions) => Effect.Effect<unknown, DomainError>
  /** Succeeds when calls can be sent, and fails as a call would. */
  readonly ready: Effect.Effect<void, DomainError>
  /** The editor's notices, for one reader. */
  readonly notices: Stream.Stream<Notice>
  /** See `LinkState`. */
  readonly state: SubscriptionRef.SubscriptionRef<LinkState.LinkState>
}

export interface LinkOptions {
  readonly target: Target
  /** Opens a connection. */
  readonly connect: Connect
  /** The options of the first exchange. */
  readonly hello: HelloOptions
  /** How long calls wait for an editor that was there. 20 seconds. */
  readonly grace?: Duration.Duration
  /** The project of `--project`; other projects are rejected. */
  readonly project?: string | undefined
  /**
   * Whether attempts follow each other by themselves; otherwise only while calls wait, as always of an editor that
   * connecting starts. True.
   */
  readonly reconnects?: boolean
  /** The largest sent message, in bytes. Default: 64 MiB. */
  readonly maxFrame?: number
  /** The limit of waiting and sent calls. Default: 1,024. */
  readonly maxWaiting?: number
  /** Receives every message, in both directions. */
  readonly trace?: (direction: "sent" | "received", message: unknown) => void
  /** Receives what happens to the connection, and its state before. */
  readonly watch?: (event: LinkState.LinkEvent, before: LinkState.LinkState) => void
  /** Receives skipped messages. */
  readonly log?: (event: string, detail: string) => void
}

/** How long calls wait for an editor that was there. */
export const usualGrace = Duration.seconds(20)

/** How many notices may wait for their reader: a burst of them says the same thing. */
const maxNotices = 256

/** The longest part of what was passed over that is logged, in characters. */
const sampleLength = 200

/** How long until the next attempt while calls wait, whatever the profile says. */
const awaitedDelay = Duration.seconds(1)

/** A connection that is open to calls. */
interface Open {
  readonly carrier: Carrier
  readonly ended: Deferred.Deferred<LinkState.Loss>
}

/** A link to an editor, until the Scope closes. It connects when `open` or the first call asks for it. */
export const make = Effect.fnUntraced(function* (
  profile: EditorProfile,
  options: LinkOptions,
): Effect.fn.Return<EditorLink, never, Scope.Scope> {
  const { dialect, inFlight } = profile
  const { connect, maxFrame = usualMaxFrame, maxWaiting = 1_024, target } = options
  const launched = launchedOf(target)
  const reconnects = launched === undefined && (options.reconnects ?? true)
  const subject: LinkErrors.Subject = { title: profile.title, startAdvice: profile.startAdvice, target }
  const grace = Duration.toMillis(options.grace ?? usualGrace)
  const clock = yield* Clock.Clock
  const run = yield* FiberSet.makeRuntime<never, void, never>()
  const state = yield* SubscriptionRef.make<LinkState.LinkState>(LinkState.idle)
  const notices = yield* Queue.sliding<Notice>(maxNotices)
  const wanted = Latch.makeUnsafe(false)
  const calls = CallQueue.make(inFlight, maxWaiting)
  const log = (event: string, detail: string) => options.log?.(event, detail.slice(0, sampleLength))
  let open: Open | undefined
  let hasStarted = false
  let isTrying = false

  const now = () => SubscriptionRef.getUnsafe(state)
  const become = (event: LinkState.LinkEvent) => {
    const before = now()
    options.watch?.(event, before)
    const after = LinkState.next(before, event)
    if (after !== before) Effect.runSync(SubscriptionRef.set(state, after))
  }
  const fail = (all: ReadonlyArray<CallQueue.QueuedCall>, error: DomainError) => {
    for (const call of all) call.settle({ _tag: "Failed", error })
  }

  /** Sends what waits, as far as the editor takes it. */
  const pump = () => {
    while (open !== undefined) {
      const call = calls.next()
      if (call === undefined) return
      const id = dialect.nextId()
      const message = dialect.request(id, call.method, call.params)
      const text = JsonText.write(message)
      const problem =
        dialect.refuse?.(text, call.params) ??
        (Buffer.byteLength(text) > maxFrame ? `it has more than ${maxFrame} bytes (--max-frame).` : undefined)
      if (problem !== undefined) {
        fail([call], LinkErrors.tooLarge(call.method, problem))
        continue
      }
      calls.sent(id, call)
      options.trace?.("sent", message)
      open.carrier.write(text)
      call.log("sent")
      deadlines.begin(call)
    }
  }
  /** Asks the editor for what no call waits for. */
  const post = (method: string, params: Arguments, log: CallLog) => {
    const id = dialect.nextId()
    calls.expect(id, log)
    const message = dialect.request(id, method, params)
    options.trace?.("sent", message)
    open?.carrier.write(JsonText.write(message))
  }
  /** Takes a call out, and has the editor stop if it was sent. */
  const drop = (call: CallQueue.QueuedCall) => {
    const id = calls.remove(call)
    if (id === undefined || dialect.cancel === undefined) return
    const { method, params } = dialect.cancel(id)
    post(method, params, call.log)
  }
  const { health } = profile
  const deadlines = Deadlines.make(clock, run, {
    sent: calls.allSent,
    pass: (call, isStuck) => {
      // A length that is too large swallows every later answer.
      if (open?.carrier.endIfPartial()) return
      const { method, timeoutMs } = call
      drop(call)
      fail(
        [call],
        isStuck ? LinkErrors.stuck(subject, method) : LinkErrors.timedOut(subject, method, timeoutMs / 1_000),
      )
      if (isStuck && launched !== undefined) run(launched.end)
      pump()
    },
    ...(health === undefined
      ? {}
      : { check: { within: health.within, after: profile.limit, ask: () => post(health.method, {}, () => {}) } }),
  })

  /** What the editor sent: an answer to the exchange that begins a connection, or to a call. */
  const receive = (handshake: EditorHandshake.Handshake, message: unknown) => {
    options.trace?.("received", message)
    deadlines.received()
    const incoming = dialect.read(message)
    if (incoming._tag === "Noise") return log("noise", `a message with ${Object.keys(Object(message)).slice(0, 8)}`)
    if (incoming._tag === "Notice") {
      if (incoming.kind === "reloading" || incoming.kind === "quitting") leaving = incoming.kind
      return void Queue.offerUnsafe(notices, incoming)
    }
    if (handshake.take(incoming)) return
    const call = calls.take(incoming.id)
    if (call === undefined) {
      const late = calls.late(incoming.id)
      return late === undefined ? log("unknown answer", incoming.id ?? "without an id") : late("late answer dropped")
    }
    call.settle(
      incoming.outcome._tag === "Success"
        ? { _tag: "Answered", answer: incoming.outcome.success }
        : { _tag: "Failed", error: ofEditor(incoming.outcome.failure) },
    )
    pump()
  }
  /** What the editor has said about why the connection will end. */
  let leaving: "reloading" | "quitting" | undefined

  /** The calls that were under way: sent again once if that is safe, otherwise their outcome is unknown. */
  const lose = (loss: LinkState.Loss, seen: string | undefined) => {
    open = undefined
    deadlines.received()
    if (now()._tag === "Closed") return
    const sent = calls.takeAllSent()
    become({ _tag: "Lost", at: clock.currentTimeMillisUnsafe(), loss })
    const again = seen === undefined && loss !== "quitting" ? sent.filter(({ isRepeatable }) => isRepeatable) : []
    for (const call of again) {
      call.isRepeatable = false
      call.log("lost", "to be sent again")
    }
    const others = sent.filter((call) => !again.includes(call))
    fail(others, seen === undefined ? LinkErrors.lost(subject, loss, "unknown") : LinkErrors.garbage(subject, seen))
    calls.putBack(again)
    graceTimer?.interruptUnsafe()
    if (loss === "quitting") giveUp(loss, LinkErrors.away(subject, loss, 0))
    else graceTimer = run(Effect.delay(Effect.sync(endGrace), grace))
  }
  let graceTimer: Fiber.Fiber<void> | undefined
  const endGrace = () => {
    const at = now()
    // An editor that is being started has its own limit.
    if (at._tag !== "Away" || (launched !== undefined && isTrying)) return
    giveUp(at.loss, LinkErrors.away(subject, at.loss, grace / 1_000))
  }
  /** What waits fails; of what was sent before, the outcome is unknown. */
  const giveUp = (loss: LinkState.Loss, error: DomainError) => {
    for (const call of calls.takeAllWaiting()) {
      fail([call], call.wasSent ? LinkErrors.lost(subject, loss, "unknown") : error)
    }
    decide(Effect.fail(error))
  }
  /** What waits until calls can be sent. */
  const waiters = new Set<(outcome: Effect.Effect<void, DomainError>) => void>()
  const decide = (outcome: Effect.Effect<void, DomainError>) => {
    for (const waiter of waiters) waiter(outcome)
    waiters.clear()
  }

  /** One attempt: a connection with its first exchange done, for as long as it lasts. */
  const attempt = Effect.fnUntraced(function* (scope: Scope.Closeable) {
    leaving = undefined
    const ended = Deferred.makeUnsafe<LinkState.Loss>()
    let handshake: EditorHandshake.Handshake | undefined
    let isOpen = false
    const carrier = yield* connect({
      message: (message) => handshake !== undefined && receive(handshake, message),
      noise: (sample) => log("noise", sample),
      oversize: (beginning, what) => {
        if (!isOpen) return handshake?.end(LinkErrors.notThisEditor(subject, `it sent a message ${what}`))
        const call = calls.take(calls.idIn(beginning))
        log("over limit", `a message ${what}`)
        if (call === undefined) return
        fail([call], LinkErrors.overLimit(subject, what))
        pump()
      },
      ended: (seen) => {
        const loss = seen === undefined ? (leaving ?? "lost") : "garbage"
        const what = seen === undefined ? "it closed the connection" : `it sent ${seen}`
        handshake?.end(LinkErrors.notThisEditor(subject, what))
        if (isOpen) lose(loss, seen)
        Deferred.doneUnsafe(ended, Effect.succeed(loss))
      },
    }).pipe(Scope.provide(scope))
    const { token } = carrier
    handshake = EditorHandshake.make(dialect, (text) => {
      options.trace?.(
        "sent",
        JSON.parse(token === undefined ? text : text.replaceAll(Redacted.value(token), hiddenToken)),
      )
      carrier.write(text)
    })
    const silent = Effect.suspend(() => whenSilent)
    const about = token === undefined ? options.hello : { ...options.hello, token }
    const hello = yield* EditorHandshake.hello(profile, handshake.ask, about, subject, options.project, silent)
    isOpen = true
    return { hello, open: { carrier, ended } satisfies Open }
  })

  /** The first exchange was not answered: whether one more connection shows that the editor is there. */
  const whenSilent: Effect.Effect<never, DomainError> = Effect.suspend(() => {
    const { busyProbe } = profile
    if (launched !== undefined) run(launched.end)
    const silent = LinkErrors.notThisEditor(subject, "it accepted the connection and did not answer")
    if (busyProbe === undefined) return Effect.fail(silent)
    const answered = Deferred.makeUnsafe<void>()
    return connect({
      message: (message) => busyProbe.isAnswer(message) && Deferred.doneUnsafe(answered, Effect.void),
      noise: () => {},
      oversize: () => {},
      ended: () => {},
    }).pipe(
      Effect.tap((carrier) => Effect.sync(() => carrier.write(busyProbe.text))),
      Effect.andThen(Deferred.await(answered)),
      Effect.scoped,
      Effect.timeoutOrElse({ duration: "1 second", orElse: () => Effect.fail(silent) }),
      Effect.andThen(Effect.fail(LinkErrors.occupied(subject))),
    )
  })

  const started = (opened: Open, hello: Hello) => {
    isTrying = false
    open = opened
    become({ _tag: "Opened", hello })
    decide(Effect.void)
    pump()
  }
  const failed = (failure: DomainError) => {
    isTrying = false
    become({ _tag: "Failed", failure })
    if (clock.currentTimeMillisUnsafe() >= LinkState.waitsUntil(now(), grace)) giveUp("lost", failure)
  }

  /** Connects, again and again. */
  const drive = Effect.gen(function* () {
    for (let attempts = 0; ; ) {
      become({ _tag: "Opening" })
      isTrying = true
      wanted.closeUnsafe()
      const scope = yield* Scope.make()
      const lasted = yield* attempt(scope).pipe(
        Effect.matchEffect({
          onFailure: (failure) =>
            Effect.as(
              Effect.sync(() => failed(failure)),
              false,
            ),
          onSuccess: ({ hello, open }) =>
            Effect.as(
              Effect.andThen(
                Effect.sync(() => started(open, hello)),
                Deferred.await(open.ended),
              ),
              true,
            ),
        }),
        Effect.onExit(() => Scope.close(scope, Exit.void)),
      )
      attempts = lasted ? 0 : attempts + 1
      const asked = wanted.await
      const isAwaited = calls.isWaiting() || waiters.size > 0
      if (!reconnects && !isAwaited) yield* asked
      else {
        const delay = profile.reconnectDelay(Math.max(0, attempts - 1), yield* Random.next)
        yield* Effect.raceFirst(Effect.sleep(isAwaited ? Duration.min(delay, awaitedDelay) : delay), asked)
      }
    }
  })
  const begin = Effect.sync(() => {
    if (hasStarted) return
    hasStarted = true
    run(drive)
  })

  /** An attempt, at once. What comes during one waits for what becomes of that. */
  const tryNow = () => {
    if (!hasStarted) Effect.runSync(begin)
    else if (!isTrying) wanted.openUnsafe()
  }

  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      become({ _tag: "Close" })
      fail([...calls.takeAllSent(), ...calls.takeAllWaiting()], LinkErrors.closed(subject))
      decide(Effect.fail(LinkErrors.closed(subject)))
    }),
  )

  const request: EditorLink["request"] = (method, params, { deadline, isRepeatable, log = () => {} }) =>
    Effect.callback<unknown, DomainError>((resume) => {
      const call: CallQueue.QueuedCall = {
        method,
        params,
        timeoutMs: Duration.toMillis(deadline),
        isRepeatable,
        wasSent: false,
        log,
        endsAt: Number.POSITIVE_INFINITY,
        checksAt: Number.POSITIVE_INFINITY,
        isChecked: false,
        settle: (outcome) => {
          if (outcome._tag === "Answered") call.log("answered")
          else call.log("failed", `${outcome.error.reason}, ${outcome.error.delivery}`)
          resume(outcome._tag === "Answered" ? Effect.succeed(outcome.answer) : Effect.fail(outcome.error))
        },
      }
      const denied = dialect.deny?.(method)
      if (denied !== undefined) return resume(Effect.fail(ofEditor(denied)))
      if (now()._tag === "Closed") return resume(Effect.fail(LinkErrors.closed(subject)))
      if (!calls.add(call)) return resume(Effect.fail(LinkErrors.busy(subject, maxWaiting)))
      log("queued", method)
      if (open === undefined) tryNow()
      else pump()
      return Effect.sync(() => {
        log("cancelled")
        drop(call)
        pump()
      })
    })

  const ready = Effect.callback<void, DomainError>((resume) => {
    if (open !== undefined) return resume(Effect.void)
    if (now()._tag === "Closed") return resume(Effect.fail(LinkErrors.closed(subject)))
    waiters.add(resume)
    tryNow()
    return Effect.sync(() => waiters.delete(resume))
  })

  return {
    open: launched === undefined ? begin : Effect.void,
    request,
    ready,
    notices: Stream.fromQueue(notices),
    state,
  }
})
