/**
 * An editor that answers at once, in its own process, and its clients.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { connect as connectSocket } from "node:net"
import type { Readable } from "node:stream"
import { fileURLToPath } from "node:url"
import * as Carrier from "@zain/editor-link/infrastructure/link/Carrier"
import * as EditorLink from "@zain/editor-link/infrastructure/link/EditorLink"
import * as LengthPrefix from "@zain/editor-link/infrastructure/link/LengthPrefix"
import type { Place } from "@zain/editor-link/infrastructure/link/Target"
import { unity } from "@zain/editor-unity/UnityProfile"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { probe, usageOf } from "../BuiltServer.ts"
import { encode, reader } from "../EditorFrames.ts"

/** `cpu`: its CPU time, in µs. */
export interface InstantEditor {
  readonly target: Place
  readonly cpu: () => Promise<number>
  readonly end: () => Promise<unknown>
}

/** Starts one with the frames of Unity's profile `unity`. */
export const startEditor = async (): Promise<InstantEditor> => {
  const file = fileURLToPath(new URL("../instant-editor.ts", import.meta.url))
  const child = spawn(process.execPath, [...probe, file], { stdio: ["pipe", "pipe", "inherit", "ipc"] })
  const [port] = await once(child.stdout as Readable, "data")
  const end = () => {
    const exit = once(child, "exit")
    child.stdin?.end()
    return exit
  }
  const cpu = async () => (await usageOf(child)).cpu
  return { target: { host: "127.0.0.1", port: Number(port) }, cpu, end }
}

/** The called tool. */
export const toolName = "create_gameobject"
export const toolArguments = { name: "Chair", primitiveType: "cube", position: { x: 1.5, y: 0, z: -2.25 } }

/** The number of parallel calls. */
export const width = 200

/** `calls`: makes parallel calls, and throws if they were answered in another order. */
export interface Caller {
  readonly calls: (count: number) => Promise<void>
  readonly end: () => Promise<unknown>
}

/** Throws if something is out of order. */
export const inOrder = (answered: ReadonlyArray<number>, count: number): void => {
  if (answered.length !== count || answered.some((one, at) => one !== at)) throw new Error("answered in another order")
}

/**
 * A socket with frames and nothing else: `ask` writes a message, waits for the next one, and parses it.
 *
 * @param isAnswer false for messages that are none, such as notices
 */
export const bareConnection = async ({ host, port }: Place, isAnswer: (message: unknown) => boolean = () => true) => {
  const socket = connectSocket({ host, port, noDelay: true })
  await once(socket, "connect")
  let take: (answer: unknown) => void = () => {}
  socket.on(
    "data",
    reader((body) => {
      const message: unknown = JSON.parse(body.toString())
      if (isAnswer(message)) take(message)
    }),
  )
  const ask = (text: string) =>
    new Promise<unknown>((resolve) => {
      take = resolve
      socket.write(encode(text))
    })
  const end = async () => {
    socket.destroy()
  }
  return { ask, end }
}

/** The same frames as ours, one after the other. */
export const bareSocket = async (target: Place): Promise<Caller> => {
  const { ask, end } = await bareConnection(target)
  let id = 0
  const calls = async (count: number) => {
    for (let done = 0; done < count; done++) {
      await ask(JSON.stringify({ id: String(++id), type: toolName, params: toolArguments }))
    }
  }
  return { calls, end }
}

/** Connections of ours. */
const tcp = (target: Place) => Carrier.tcp({ title: "Unity", startAdvice: "", framing: LengthPrefix.framing }, target)

/** What is made in a Scope, and how that is closed. */
export const scoped = async <A>(make: Effect.Effect<A, unknown, Scope.Scope>) => {
  const scope = Scope.makeUnsafe()
  const made = await Effect.runPromise(Scope.provide(make, scope))
  return { made, end: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}

/** Our link alone. */
export const link = async (target: Place): Promise<Caller> => {
  const hello = { clientName: "bench", isDevelopment: false, wantsProject: false }
  const { end, made } = await scoped(EditorLink.make(unity, { target, connect: tcp(target), hello }))
  await Effect.runPromise(made.ready)
  const options = { deadline: Duration.seconds(30), isRepeatable: false }
  const calls = async (count: number) => {
    const answered: Array<number> = []
    const call = (_: unknown, at: number) =>
      Effect.map(made.request(toolName, toolArguments, options), () => answered.push(at))
    await Effect.runPromise(Effect.forEach(Array.from({ length: count }), call, { concurrency: "unbounded" }))
    inOrder(answered, count)
  }
  return { calls, end }
}

/** The same with a connection of ours. */
export const ownConnection = async (target: Place) => {
  let take: (answer: unknown) => void = () => {}
  const { end, made } = await scoped(
    tcp(target)({
      message: (message) => take(message),
      noise: () => {},
      oversize: () => {},
      ended: () => {},
    }),
  )
  const ask = (text: string) =>
    new Promise<unknown>((resolve) => {
      take = resolve
      made.write(text)
    })
  return { ask, end }
}
