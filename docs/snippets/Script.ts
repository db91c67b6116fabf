/**
 * What the models of a page's agents say, in comments of the page that no reader sees:
 *
 *     <!-- model
 *     What is my name? => Your name is Zain.
 *     My name is (\w+) => Hello, $1.
 *     Run the tests => !run npm test => All of them pass.
 *     Count them => !use stock {"article":"nut"} => There are 12.
 *     Deploy it => !ask Where to? Staging or Production => Deployed.
 *     Think hard => !hang
 *     Do too much => !429 Slow down.
 *     -->
 *
 * On the left stands a regular expression that the prompt matches; the first one counts. Whatever no line matches is
 * answered with `Done.`
 */
import { type ModelRequest, ScriptedTurn } from "@zain/scripted-model"

interface Line {
  readonly prompt: RegExp
  readonly answer: string
  /** What is said once the tool has run. */
  readonly then: string
}

/** How the models of a page's agents answer. */
export const respond = (page: string): ((request: ModelRequest.ModelRequest) => ScriptedTurn.ScriptedTurn) => {
  const lines = linesOf(page)
  return (request) => {
    const prompt = promptOf(request)
    const line = lines.find((each) => each.prompt.test(prompt))
    return line === undefined ? ScriptedTurn.text("Done.") : turn(line, prompt, request)
  }
}

const linesOf = (page: string): ReadonlyArray<Line> =>
  [...page.matchAll(/<!-- model\n([\s\S]*?)-->/g)].flatMap(([, body = ""]) =>
    body.split("\n").flatMap((each) => {
      const [prompt, answer, then = "Done."] = each.split(" => ").map((part) => part.trim())
      return prompt === undefined || answer === undefined ? [] : [{ prompt: new RegExp(prompt), answer, then }]
    }),
  )

/** The last thing that a person said. Claude Code puts reminders of its own beside it. */
const promptOf = ({ userMessages }: ModelRequest.ModelRequest) =>
  userMessages.findLast((message) => !message.startsWith("<")) ?? ""

const turn = ({ answer, prompt, then }: Line, said: string, request: ModelRequest.ModelRequest) => {
  const fill = (text: string) => ScriptedTurn.text((prompt.exec(said)?.[0] ?? "").replace(prompt, text))
  if (answer === "!hang") return ScriptedTurn.hang
  const [, status, message = ""] = /^!(\d{3})\s*(.*)$/.exec(answer) ?? []
  if (status !== undefined) return ScriptedTurn.httpError(Number(status), { message })
  const [, tool, input] = /^!use (\S+) (.*)$/.exec(answer) ?? []
  if (tool !== undefined && input !== undefined) {
    const name = request.tools.find((one) => one.endsWith(tool)) ?? tool
    return isToolDone(request) ? fill(then) : ScriptedTurn.toolCall(name, JSON.parse(input))
  }
  const [, what, rest = ""] = /^!(run|ask) (.*)$/.exec(answer) ?? []
  if (what === undefined) return fill(answer)
  return isToolDone(request) ? fill(then) : what === "run" ? run(request, rest) : ask(request, rest)
}

/** Whether what was asked for last has been tried. */
const isToolDone = ({ body }: ModelRequest.ModelRequest) => {
  const { messages, input = messages } = body as Record<string, ReadonlyArray<unknown> | undefined>
  return /"type":"(function_call_output|custom_tool_call_output|tool_result)"/.test(JSON.stringify(input?.at(-1)))
}

const run = ({ api }: ModelRequest.ModelRequest, command: string) =>
  api === "responses"
    ? ScriptedTurn.toolCall("exec_command", {
        cmd: command,
        sandbox_permissions: "require_escalated",
        justification: "The prompt asks for it.",
      })
    : ScriptedTurn.toolCall("Bash", { command, description: "What the prompt asks for" })

/** Asks the user with the agent's own tool: a question, and its options after it. */
const ask = ({ api }: ModelRequest.ModelRequest, words: string) => {
  const [, question = "", choices = ""] = /^(.*?\?) (.*)$/.exec(words) ?? []
  const options = choices.split(" or ").map((label) => ({ label, description: `${label}.` }))
  const asked = { header: "Choice", question, options }
  return api === "responses"
    ? ScriptedTurn.toolCall("request_user_input", { questions: [{ id: "choice", ...asked }] })
    : ScriptedTurn.toolCall("AskUserQuestion", { questions: [{ ...asked, multiSelect: false }] })
}
