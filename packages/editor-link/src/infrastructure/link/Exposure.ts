/**
 * Whether other machines may reach an editor: by which addresses of this machine, beside loopback, it accepts connections.
 */
import { networkInterfaces } from "node:os"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { EditorProfile } from "../../domain/EditorProfile.ts"
import * as Carrier from "./Carrier.ts"
import { address, type Place, type Target } from "./Target.ts"

/** How long each address may take to accept, and how many are tried, all at once. */
const within = Duration.millis(500)
const maxAddresses = 32

const isLoopback = (host: string) => host === "localhost" || host === "::1" || host.startsWith("127.")

/** The addresses by which other machines reach this one. */
const ownAddresses = (): ReadonlyArray<string> =>
  Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .flatMap(({ address, family, internal }) => (family === "IPv4" && !internal ? [address] : []))
    .slice(0, maxAddresses)

/** Whether an address accepts a connection, which is closed at once. */
const accepts = (target: Place): Effect.Effect<boolean> =>
  Effect.acquireRelease(Carrier.dial(target), (socket) => Effect.sync(() => socket.destroy()), {
    interruptible: true,
  }).pipe(
    Effect.scoped,
    Effect.as(true),
    Effect.orElseSucceed(() => false),
    Effect.timeoutOrElse({ duration: within, orElse: () => Effect.succeed(false) }),
  )

/**
 * One sentence for each editor that other machines may reach, with the remedy.
 *
 * @param target where the editor accepts connections
 */
export const warnings = Effect.fnUntraced(function* (
  { exposureAdvice, title }: EditorProfile,
  target: Target,
): Effect.fn.Return<ReadonlyArray<string>> {
  if (exposureAdvice === undefined || "seek" in target) return []
  const others = isLoopback(target.host)
    ? yield* Effect.filter(
        ownAddresses().map((host) => ({ host, port: target.port })),
        accepts,
        { concurrency: "unbounded" },
      )
    : [target]
  if (others.length === 0) return []
  return [
    `${title} accepts connections at ${others.map(address).join(", ")}: other machines may reach it. ${exposureAdvice}`,
  ]
})
