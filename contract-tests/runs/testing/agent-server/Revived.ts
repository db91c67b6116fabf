/**
 * A server that restarts for the next connection after it has exited, always at the same address, which a TCP relay keeps.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { get } from "node:http"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { createInterface } from "node:readline"
import { text } from "node:stream/consumers"
import { Effect, type Scope } from "effect"

/** A server that prints one line of JSON with its `url` once it listens. */
export interface Program {
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
}

/** Serves until the Scope ends. Returns the relay's address with the server's path. */
export const serve = (program: Program): Effect.Effect<string, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => start(program)),
      ({ end }) => Effect.promise(end),
    ),
    ({ url }) => url,
  )

interface Living {
  readonly child: ChildProcess
  readonly url: URL
}

const launch = async ({ args, env }: Program): Promise<Living> => {
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "pipe"] })
  const complaint = text(child.stderr)
  const ended = once(child, "exit").then(async () => {
    throw new Error(`The server has ended before it listened: ${await complaint}`)
  })
  const [line] = (await Promise.race([once(createInterface({ input: child.stdout }), "line"), ended])) as [string]
  ended.catch(() => {})
  return { child, url: new URL((JSON.parse(line) as { readonly url: string }).url) }
}

const isAlive = ({ child }: Living) => child.exitCode === null && child.signalCode === null

/** The system may accept connections for a killed process until it is gone; only a living one answers. */
const answers = ({ url }: Living): Promise<boolean> =>
  new Promise((resolve) => {
    get(new URL("/", url), { agent: false }, (response) => {
      response.resume()
      resolve(true)
    }).once("error", () => resolve(false))
  })

const start = async (program: Program) => {
  let living = await launch(program)
  let launching: Promise<Living> | undefined
  const sockets = new Set<Socket>()

  const current = async () => {
    if (isAlive(living)) return living
    launching ??= launch(program).finally(() => {
      launching = undefined
    })
    living = await launching
    return living
  }

  /** Ends one side as the other ended. */
  const join = (from: Socket, to: Socket) => {
    from.pipe(to)
    from.on("error", () => to.resetAndDestroy())
    from.once("close", () => {
      sockets.delete(from)
      to.destroySoon()
    })
  }

  /** Connects to the server. One that does not answer is about to end. */
  const reach = async (): Promise<Socket> => {
    const server = await current()
    if (await answers(server)) {
      const socket = connect({ port: Number(server.url.port), host: "127.0.0.1", allowHalfOpen: true })
      const isThere = await new Promise<boolean>((resolve) => {
        socket.once("connect", () => resolve(true))
        socket.once("error", () => resolve(false))
      })
      if (isThere) return socket
    }
    if (isAlive(server)) await once(server.child, "exit")
    return reach()
  }

  const relay = createServer({ allowHalfOpen: true, pauseOnConnect: true }, async (socket) => {
    sockets.add(socket)
    const onward = await reach()
    sockets.add(onward)
    join(socket, onward)
    join(onward, socket)
    socket.resume()
  })
  relay.listen(0, "127.0.0.1")
  await once(relay, "listening")
  const url = new URL(living.url)
  url.port = String((relay.address() as AddressInfo).port)

  const end = async () => {
    relay.close()
    for (const socket of sockets) socket.destroy()
    await launching
    if (!isAlive(living)) return
    const over = once(living.child, "exit")
    living.child.kill("SIGTERM")
    await over
  }
  return { url: url.href, end }
}
