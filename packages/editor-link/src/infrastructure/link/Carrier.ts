/**
 * One connection to an editor, as messages.
 */
import { connect as connectSocket, type Socket } from "node:net"
import * as FairReading from "@zain/process/FairReading"
import * as JsonBounds from "@zain/process/JsonBounds"
import * as JsonText from "@zain/process/JsonText"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import type * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type { DiscoveryError } from "../../domain/DomainError.ts"
import type { EditorProfile, Framing } from "../../domain/EditorProfile.ts"
import * as LinkErrors from "./LinkErrors.ts"
import type { Place, Target } from "./Target.ts"

/** Receives what an editor sends. */
export interface CarrierListener {
  /** A parsed message. */
  readonly message: (message: unknown) => void
  /** A message over the limit was skipped: how it began, and what of it was too much. */
  readonly oversize: (beginning: string, what: string) => void
  /** Bytes that are no message were skipped. */
  readonly noise: (sample: string) => void
  /** The connection has ended; `seen` is the invalid data, if that is the cause. Called once. */
  readonly ended: (seen?: string) => void
}

export interface Carrier {
  /** Sends the text of one message; does nothing after the end. */
  readonly write: (text: string) => void
  /** Ends the connection if a frame has begun and is not whole; returns whether it did. */
  readonly endIfPartial: () => boolean
  /** The secret that the first exchange carries, of the place that was connected to. */
  readonly token?: Redacted.Redacted
}

/** Opens a connection, which ends with the Scope. */
export type Connect = (listener: CarrierListener) => Effect.Effect<Carrier, DiscoveryError, Scope.Scope>

/** The largest message, in bytes. */
export const usualMaxFrame = 64 * 2 ** 20

/** What a message may hold before it is parsed. */
const shape: JsonBounds.JsonBounds = { maxDepth: 256, maxElements: 2_000_000 }

/** How much of a message that cannot be read is quoted, in characters. */
const sampleLength = 64
const beginningLength = 4_096

const connectTimeout = Duration.seconds(3)

/** How long bytes that belong to no frame may stand without a frame behind them; what has arrived by then is read first. */
const strayTimeout = Effect.andThen(
  Effect.sleep("500 millis"),
  Effect.callback<void>((resume) => {
    const read = setImmediate(() => resume(Effect.void))
    return Effect.sync(() => clearImmediate(read))
  }),
)

/**
 * Connections over TCP.
 *
 * @param maxFrame the largest message that is read, in bytes
 */
export const tcp =
  (
    { framing, startAdvice, title }: Pick<EditorProfile, "title" | "startAdvice" | "framing">,
    target: Target,
    maxFrame = usualMaxFrame,
  ): Connect =>
  (listener) =>
    Effect.gen(function* () {
      const subject = { title, startAdvice, target }
      const run = yield* FiberSet.makeRuntime<never, void, never>()
      const place = yield* placeOf(subject)
      const socket = yield* Effect.acquireRelease(
        dial(place).pipe(
          Effect.mapError((code) => LinkErrors.refused(subject, code)),
          Effect.timeoutOrElse({
            duration: connectTimeout,
            orElse: () => Effect.fail(LinkErrors.connectTimeout(subject, Duration.toSeconds(connectTimeout))),
          }),
        ),
        (socket) => Effect.sync(() => socket.destroy()),
        { interruptible: true },
      )
      const carrier = over(socket, framing, maxFrame, listener, run)
      return place.token === undefined ? carrier : { ...carrier, token: place.token }
    })

/** Where the editor listens now. */
const placeOf = (subject: LinkErrors.Subject): Effect.Effect<Place, DiscoveryError> =>
  "seek" in subject.target
    ? Effect.mapError(subject.target.seek, (problem) => LinkErrors.notFound(subject, problem))
    : Effect.succeed(subject.target)

/** @returns an open socket, or the system's name for why there is none */
export const dial = ({ host, port }: Place): Effect.Effect<Socket, string> =>
  Effect.callback((resume) => {
    const socket = connectSocket({ host, port, noDelay: true, keepAlive: true })
    // Stays on the socket: its end follows every error.
    socket.on("error", ({ code, message }: NodeJS.ErrnoException) => resume(Effect.fail(code ?? message)))
    socket.once("connect", () => resume(Effect.succeed(socket)))
    return Effect.sync(() => socket.destroy())
  })

const over = (
  socket: Socket,
  framing: Framing,
  maxFrame: number,
  listener: CarrierListener,
  run: (effect: Effect.Effect<void>) => Fiber.Fiber<void>,
): Carrier => {
  let isOver = false
  /** What has arrived that belongs to no frame, and what ends the connection unless one follows. */
  let stray: string | undefined
  let strayed: Fiber.Fiber<void> | undefined
  /** The size of the frame that is not whole yet. */
  let partial: number | undefined
  const end = (seen?: string) => {
    if (isOver) return
    isOver = true
    strayed?.interruptUnsafe()
    socket.destroy()
    listener.ended(seen)
  }
  const decode = framing.decoder(maxFrame, {
    begun: (bytes) => {
      partial = bytes
    },
    frame: (text) => {
      partial = undefined
      if (isOver) return
      const excess = JsonBounds.check(text, shape)
      if (excess !== undefined) {
        return listener.oversize(text.slice(0, beginningLength), JsonBounds.words(excess, shape, maxFrame))
      }
      const message = parse(text)
      if (message === undefined) end(`no JSON: ${JSON.stringify(text.slice(0, sampleLength))}`)
      else listener.message(message.value)
    },
    noise: listener.noise,
    oversize: (beginning, bytes) => {
      partial = undefined
      if (!isOver)
        listener.oversize(beginning, `of ${bytes} bytes, more than ${maxFrame} (--max-frame raises the limit)`)
    },
    nonsense: end,
  })
  const take = (chunk: Buffer) => {
    stray = decode(chunk)
    if (stray !== undefined && !isOver)
      strayed ??= run(
        Effect.andThen(
          strayTimeout,
          Effect.sync(() => end(stray)),
        ),
      )
    else {
      strayed?.interruptUnsafe()
      strayed = undefined
    }
  }
  socket.on("data", FairReading.make(socket, take))
  socket.on("end", () => end(stray)).on("close", () => end(stray))
  if (socket.destroyed) queueMicrotask(end)
  return {
    write: (text) => {
      if (!isOver) socket.write(framing.encode(text))
    },
    endIfPartial: () => {
      if (partial === undefined || isOver) return false
      end(`a frame of ${partial} bytes that did not arrive whole before a call timed out`)
      return true
    },
  }
}

const parse = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JsonText.read(text) }
  } catch {
    return undefined
  }
}
