/**
 * The program: a fake agent on standard input and output that speaks its own protocol. `FakeAgent.install` writes the
 * command that starts it.
 *
 * It imports nothing of the workspace at run time but the module of its dialect, so that plain Node runs it, from source
 * and as built.
 */
import * as ContractScript from "./ContractScript.ts"
import * as FakeConversations from "./FakeConversations.ts"
import { type Agent, isObject } from "./FakeDialect.ts"
import * as FakeLines from "./FakeLines.ts"

/** `takesAlong`: whether its death is the death of what started it, too. */
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
  // Its client is gone.
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
      // Not before what was said is written.
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
