/**
 * The script of the demo's models. They know only what is in a request, so they know the word only if the agent sent it
 * again.
 */
import { type ModelRequest, ScriptedTurn } from "@zain/scripted-model"

const wordOf = (message: string) => /Remember this word: (\w+)/.exec(message)?.[1]
const fileOf = (message: string) => /Write it to the file (\S+)\./.exec(message)?.[1]

/** Slow enough to be seen. */
const say = (text: string) => ScriptedTurn.text(text, { chunks: text.split(" ").length, pause: "40 millis" })

/** How each agent writes a file: Codex by a command that is a patch, Claude Code by a tool. */
const write = ({ api }: ModelRequest.ModelRequest, path: string, text: string) =>
  api === "responses"
    ? ScriptedTurn.toolCall("exec_command", {
        cmd: `apply_patch <<'PATCH'\n*** Begin Patch\n*** Add File: ${path}\n+${text}\n*** End Patch\nPATCH\n`,
      })
    : ScriptedTurn.toolCall("Write", { file_path: path, content: `${text}\n` })

/** Plays both models. */
export const respond = (request: ModelRequest.ModelRequest): ScriptedTurn.ScriptedTurn => {
  const { toolResults, userMessages } = request
  const word = userMessages.map(wordOf).findLast((found) => found !== undefined)
  const last = userMessages.at(-1) ?? ""
  const file = fileOf(last)
  if (wordOf(last) !== undefined) return say("I will remember it.")
  if (word === undefined) return say("I know of no word.")
  if (file === undefined) return say(`The word was ${word}.`)
  const told = toolResults.at(-1)?.text
  if (told === undefined) return write(request, file, word)
  return say(/success/i.test(told) ? "It is written." : "I was not allowed to write it.")
}
