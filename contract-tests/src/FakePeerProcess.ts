/**
 * The program that `FakePeer.command` starts: a fake agent's MCP server on standard input and output. Its first argument is
 * the module of its dialect. It imports nothing else of the workspace, so that plain Node runs it, from source and as built.
 */
import type { Server } from "./FakeDialect.ts"
import * as FakeLines from "./FakeLines.ts"
import { logVariable, silentVariable } from "./FakePeerLog.ts"
import * as FakeServer from "./FakeServer.ts"

const [module = "", ...args] = process.argv.slice(2)
const { server: dialect }: { readonly server: Server } = await import(module)

const serve = () => {
  const saw = FakeLines.begin(process.env[logVariable], dialect.terminated)
  const server = FakeServer.make(dialect.make({ args, env: process.env }), {
    send: FakeLines.send,
    saw,
    exit: FakeLines.crash,
  })
  const isSilent = process.env[silentVariable] !== undefined
  FakeLines.read((message) => {
    if (message === undefined && dialect.complaint !== undefined) process.stderr.write(`${dialect.complaint}\n`)
    if (!isSilent) server.receive(message)
  })
  // Like the real agents: calls under way are finished first, however long they take.
  process.stdin.on("end", () => void server.idle().then(() => process.exit(0)))
}

if (args.includes("--version")) process.stdout.write(`${dialect.version}\n`)
else serve()
