/** The peer as an agent server that several sessions of one client share: its one session comes over a socket. */
import { once } from "node:events"
import { createServer, type Socket } from "node:net"
import type { Readable } from "node:stream"

/** Waits for the session, which takes the place of standard input and output. */
export const adopt = async () => {
  const { path } = JSON.parse(await firstLine(process.stdin))
  const server = createServer({ allowHalfOpen: true }).listen(path)
  await once(server, "listening")
  process.stdin.resume().on("end", () => process.exit(0))
  process.stdout.write("{}\n")
  const [socket] = (await once(server, "connection")) as [Socket]
  server.close()
  await firstLine(socket)
  socket.on("error", () => {})
  Object.defineProperties(process, { stdin: { value: socket }, stdout: { value: socket } })
}

/** The rest of what has been read stays to be read. */
const firstLine = async (stream: Readable): Promise<string> => {
  let read = Buffer.alloc(0)
  while (!read.includes(10)) {
    await once(stream, "readable")
    read = Buffer.concat([read, stream.read() ?? Buffer.alloc(0)])
  }
  const end = read.indexOf(10)
  if (end + 1 < read.length) stream.unshift(read.subarray(end + 1))
  return read.toString("utf8", 0, end)
}
