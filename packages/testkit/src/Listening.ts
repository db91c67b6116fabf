import { type AddressInfo, createServer, type Server, type Socket } from "node:net"
import { Effect } from "effect"

/** Listens on a free port until the Scope ends, and returns the port. */
export const listening = (onSocket: (socket: Socket) => void, host = "127.0.0.1") =>
  Effect.acquireRelease(
    Effect.callback<Server>((resume) => {
      const server = createServer(onSocket).listen({ port: 0, host }, () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.sync(() => void server.close()),
  ).pipe(Effect.map((server) => (server.address() as AddressInfo).port))
