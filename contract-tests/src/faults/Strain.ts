/**
 * Measures this process during a fault: stalls of the event loop, memory, uncaught errors, and output on the console.
 */
import { readFileSync } from "node:fs"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** `stall`: the longest, in milliseconds. `growth`: of memory, in bytes. `escaped`: uncaught errors and console output. */
export interface Strain {
  readonly stall: number
  readonly growth: number
  readonly escaped: ReadonlyArray<string>
}

const interval = 20

/** How long this thread waited for a processor, in milliseconds; 0 where the system is not Linux. */
const kept = (): number => {
  try {
    return Number(readFileSync("/proc/thread-self/schedstat", "latin1").split(" ")[1]) / 1e6
  } catch {
    return 0
  }
}

const { console: screen } = globalThis
const methods = ["debug", "error", "info", "log", "warn"] as const

/** Earlier garbage, if collected during a trial, would hide as much growth. */
const collectGarbage: () => void = (() => {
  setFlagsFromString("--expose-gc")
  return runInNewContext("gc") as () => void
})()

const inUse = () => {
  const { external, heapUsed } = process.memoryUsage()
  return heapUsed + external
}

/** A growth that may be garbage, in bytes: V8 collects it when it likes. Beyond it, only what a collection leaves counts. */
const doubtful = 128 * 1024 * 1024

/** Measures until the Scope ends. The inner effect returns the measurements so far. */
export const measure: Effect.Effect<Effect.Effect<Strain>, never, Scope.Scope> = Effect.gen(function* () {
  const escaped: Array<string> = []
  const listeners = {
    uncaughtException: (cause: unknown) => void escaped.push(`an uncaught exception: ${String(cause)}`),
    unhandledRejection: (cause: unknown) => void escaped.push(`an unhandled rejection: ${String(cause)}`),
    warning: (warning: Error) => {
      if (warning.name === "MaxListenersExceededWarning") escaped.push(`a warning: ${warning.message}`)
    },
  }
  const spoken = methods.map((name) => [name, screen[name]] as const)
  collectGarbage()
  const before = inUse()
  let peak = before
  const clock = () => performance.now() - kept()
  let stall = 0
  let last = clock()
  const look = () => {
    stall = Math.max(stall, clock() - last - interval)
    if (inUse() - before > doubtful) collectGarbage()
    peak = Math.max(peak, inUse())
    last = clock()
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      for (const [event, listener] of Object.entries(listeners)) process.on(event, listener)
      for (const name of methods) screen[name] = (...said) => void escaped.push(`console.${name}: ${said.join(" ")}`)
      return setInterval(look, interval).unref()
    }),
    (timer) =>
      Effect.sync(() => {
        clearInterval(timer)
        for (const [name, speak] of spoken) screen[name] = speak
        for (const [event, listener] of Object.entries(listeners)) process.off(event, listener)
      }),
  )
  return Effect.sync(() => {
    look()
    return { stall: Math.round(stall), growth: peak - before, escaped }
  })
})
