/**
 * The connections of a server, and which of them give way when there are too many.
 *
 * @see promise 29
 */
import type { Server } from "node:http"
import type { Socket } from "node:net"

/**
 * - `all`: those that are open
 * - `admit`: the guard has let in a request of a connection. Says whether there is a place for it; without one it is ended
 */
export interface Connections {
  readonly all: ReadonlySet<Socket>
  readonly admit: (socket: Socket) => boolean
}

/**
 * Watches the connections of a server from now on. With more than `most` the oldest that the guard has not let in are
 * ended: clients that hold connections and send nothing keep no other client out.
 */
export const make = (http: Server, most: number): Connections => {
  const all = new Set<Socket>()
  const admitted = new Set<Socket>()
  /** The oldest stands first. */
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
      if (all.size <= most) return
      end(socket)
    }
  }
  // What comes with a connection is read in the turn of the event loop after the one that accepts it.
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
    // Every session that it carries listens for its end.
    socket.setMaxListeners(0)
  })
  return {
    all,
    admit: (socket) => {
      if (admitted.has(socket)) return true
      if (!all.has(socket)) return false
      if (admitted.size >= most) {
        end(socket)
        return false
      }
      strangers.delete(socket)
      admitted.add(socket)
      return true
    },
  }
}
