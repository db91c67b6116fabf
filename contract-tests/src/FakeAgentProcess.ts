/**
 * The program behind the command that `FakeAgent.install` writes: a fake agent that speaks its own protocol on standard
 * input and output. Of the workspace it imports only the module of its dialect, so that plain Node runs it, from source and
 * as built.
 */
import * as ContractScript from "./ContractScript.ts"
import * as FakeConversations from "./FakeConversations.ts"
import { type Agent, isObject } from "./FakeDialect.ts"
import * as FakeLines from "./FakeLines.ts"

/** `takesAlong`: whether the directive `Exit` also ends the parent process. */
export interface Settings {
  readonly module: string
  readonly conversations: string
  readonly log: string
  readonly takesAlong: boolean
}

const [settings = "{}", ...args] = process.argv.slice(2)
const { conversations, log, module, takesAlong } = JSON.parse(settings) as Settings
const { agent: dialect }: { readonly agent: Agent } = await import(module)

const serve = () => {
  const saw = FakeLines.begin(log, dialect.terminated)
  // The agent server has ended.
  process.stdout.on("error", () => process.exit(1))
  const { inputEnded, receive } = dialect.make({
    args,
    cwd: process.cwd(),
    conversations: FakeConversations.make(conversations),
    decide: ContractScript.decide,
    send: FakeLines.send,
    saw,
    leave: (status, lastWords) => {
      if (lastWords !== undefined) process.stderr.write(`${lastWords}\n`)
      // Waits until the output has been written.
      process.stdout.write("", () => process.exit(status))
    },
    crash: () => {
      if (takesAlong) process.kill(process.ppid, "SIGKILL")
      FakeLines.crash()
    },
  })
  FakeLines.read((message) => isObject(message) && receive(message))
  process.stdin.on("end", inputEnded)
}

if (args.includes("--version")) process.stdout.write(`${dialect.version}\n`)
else serve()
