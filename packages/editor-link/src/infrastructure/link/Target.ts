/**
 * Where an editor listens.
 */
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"

/** `token`: the secret of the first exchange, if the editor requires one. */
export interface Place {
  readonly host: string
  readonly port: number
  readonly token?: Redacted.Redacted
}

/** A place that may change whenever the editor starts. */
export interface Sought {
  /** Where the editor listens now, or one sentence on why that is not known; run before each connection. */
  readonly seek: Effect.Effect<Place, string>
  /** A description of the place. */
  readonly sought: string
  /** Of an editor that `seek` starts; it is connected to for calls alone. */
  readonly launched?: Launched
}

/** An editor that this server starts. */
export interface Launched {
  /** Ends it at once; the next `seek` starts it again. */
  readonly end: Effect.Effect<void>
  /** The remedy if it does not start. */
  readonly startAdvice: string
}

/** `name`: what calls choose it by, where there are several. */
export type Target = { readonly name?: string } & (Place | Sought)

/** `127.0.0.1:8700`, as people write it. */
export const address = (target: Target): string => {
  if ("seek" in target) return target.sought
  const { host, port } = target
  return `${host.includes(":") ? `[${host}]` : host}:${port}`
}

/** The editor that this server starts, where it is one. */
export const launchedOf = (target: Target): Launched | undefined => ("seek" in target ? target.launched : undefined)

/** Its name, or where it is. */
export const label = (target: Target): string => target.name ?? address(target)

/** Replaces a token in recordings. */
export const hiddenToken = "[token]"
