/**
 * The connections of a server, and which of them are closed when there are too many.
 *
 * @see docs/internals/promises.md, 29
 */
import type { Server } from "node:http"
import type { Socket } from "node:net"

/** The connections of one server. */
export interface Connections {
  /** The open connections. */
  readonly all: ReadonlySet<Socket>
  /** Marks a connection as authenticated. Returns false, and closes it, if there are too many of those. */
  readonly admit: (socket: Socket) => boolean
}

/**
 * Watches the connections of a server. Above `max`, the oldest unauthenticated connections are closed, so that clients that
 * open connections and send nothing do not block other clients.
 */
export const make = (http: Server, max: number): Connections => {
  const all = new Set<Socket>()
  const admitted = new Set<Socket>()
  /** Ordered by age, oldest first. */
  const strangers = new Set<Socket>()
  let arrived: Array<Socket> = []

  const forget = (socket: Socket) => {
    for (const sockets of [all, admitted, strangers]) sockets.delete(socket)
  }
  const end = (socket: Socket) => {
    forget(socket)
    socket.destroy()
  }
  const endStrangers = () => {
    for (const socket of strangers) {
      if (all.size <= max) return
      end(socket)
    }
  }
  // The first data of a connection is read in the turn of the event loop after its acceptance.
  const judgeSoon = () => {
    const batch = arrived
    arrived = []
    setImmediate(() => {
      for (const socket of batch) if (all.has(socket) && !admitted.has(socket)) strangers.add(socket)
      endStrangers()
    })
  }

  http.on("connection", (socket) => {
    all.add(socket)
    if (arrived.length === 0) setImmediate(judgeSoon)
    arrived.push(socket)
    socket.once("close", () => forget(socket))
    socket.on("error", () => {})
    // Every session of the connection adds a listener.
    socket.setMaxListeners(0)
  })
  return {
    all,
    admit: (socket) => {
      if (admitted.has(socket)) return true
      if (!all.has(socket)) return false
      if (admitted.size >= max) {
        end(socket)
        return false
      }
      strangers.delete(socket)
      admitted.add(socket)
      return true
    },
  }
}
