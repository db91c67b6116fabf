/**
 * An MCP server over stdio with three tools: `look` only reads, `buy` asks for a size by a form, and `token` returns a variable.
 * With the argument `dies` it writes that variable to standard error, and ends.
 */
import { createInterface } from "node:readline"

const token = process.env["SHOP_TOKEN"] ?? ""
if (process.argv.includes("dies")) {
  process.stderr.write(`The token ${token} has expired.\n`)
  process.exit(3)
}

interface Message {
  readonly id?: string | number
  readonly method?: string
  readonly params?: { readonly name?: string; readonly protocolVersion?: string }
  readonly result?: unknown
  readonly error?: unknown
}

const say = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
const forms = new Map<unknown, (answer: unknown) => void>()
const inputSchema = { type: "object", properties: {} }
const tools = [
  { name: "look", description: "Looks", inputSchema, annotations: { readOnlyHint: true } },
  { name: "buy", description: "Buys", inputSchema },
  { name: "token", description: "Returns the token", inputSchema },
]

/** Asks for a size, and returns the answer. */
const buy = () =>
  new Promise<unknown>((resolve) => {
    const id = `form-${forms.size}`
    forms.set(id, resolve)
    const requestedSchema = { type: "object", properties: { size: { type: "integer" } }, required: ["size"] }
    say({ id, method: "elicitation/create", params: { mode: "form", message: "How many?", requestedSchema } })
  })

const call = async (name: string | undefined) => {
  if (name === "buy") return `bought ${JSON.stringify(await buy())}`
  return name === "token" ? token : "looked"
}

const answer = async ({ id, method, params }: Message): Promise<void> => {
  switch (method) {
    case "initialize": {
      const serverInfo = { name: "shop", version: "1.0.0" }
      return void say({
        id,
        result: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo },
      })
    }
    case "tools/list":
      return void say({ id, result: { tools } })
    case "tools/call":
      return void say({ id, result: { content: [{ type: "text", text: await call(params?.name) }] } })
    default:
      if (id !== undefined) say({ id, result: {} })
  }
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const message: Message = JSON.parse(line)
  if (message.method === undefined) forms.get(message.id)?.(message.result ?? message.error)
  else void answer(message)
})
