/**
 * An editor that answers at once, for the protocol of Unity. It prints its port, and ends with its standard input.
 */
import { createServer } from "node:net"
import { encode, reader } from "./EditorFrames.ts"

/** What stands around every answer, of the size that those of Unity have. */
const answer = (id: string): string =>
  `{"id":${JSON.stringify(id)},"status":"success","result":${result},"editorState":${state}}`
const result = JSON.stringify({
  name: "Chair",
  path: "/Furniture/Chair",
  instanceId: -18_244,
  position: { x: 1.5, y: 0, z: -2.25 },
  components: ["Transform", "MeshFilter", "MeshRenderer", "BoxCollider"],
})
const state = JSON.stringify({
  isPlaying: false,
  isPaused: false,
  version: "5.5.0",
  timestamp: "2026-11-24T00:00:00.000Z",
})

/** What begins so is sent back as it came. */
const echo = Buffer.from('{"echo":')

const server = createServer({ noDelay: true }, (socket) => {
  socket.on(
    "data",
    reader((body) => {
      const isEcho = body.subarray(0, echo.length).equals(echo)
      const text = body.toString()
      socket.write(encode(isEcho ? text : answer((JSON.parse(text) as { readonly id: string }).id)))
    }),
  )
  socket.on("error", () => {})
})
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  console.log(typeof address === "object" ? address?.port : address)
})
process.stdin.on("end", () => process.exit(0)).resume()
