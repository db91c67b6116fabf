/** The script of the demo's models. A request holds the word only if the agent sent it again. */
import { type ModelRequest, ScriptedTurn } from "@zain/scripted-model"

const wordIn = (message: string) => /Remember this word: (\w+)/.exec(message)?.[1]
/** Slow enough to be seen. */
const say = (text: string) => ScriptedTurn.text(text, { chunks: text.split(" ").length, pause: "40 millis" })

/** Plays both models. */
export const respond = ({ api, toolResults, userMessages }: ModelRequest.ModelRequest): ScriptedTurn.ScriptedTurn => {
  const last = userMessages.at(-1) ?? ""
  const word = userMessages.map(wordIn).findLast((found) => found !== undefined)
  const path = /Write it to the file (\S+)\./.exec(last)?.[1]
  const result = toolResults.at(-1)?.text
  if (wordIn(last) !== undefined) return say("I will remember it.")
  if (word === undefined) return say("I know of no word.")
  if (path === undefined) return say(`The word was ${word}.`)
  if (result !== undefined) return say(/success/i.test(result) ? "It is written." : "I was not allowed to write it.")
  if (api === "messages") return ScriptedTurn.toolCall("Write", { file_path: path, content: `${word}\n` })
  const patch = `*** Begin Patch\n*** Add File: ${path}\n+${word}\n*** End Patch`
  return ScriptedTurn.toolCall("exec_command", { cmd: `apply_patch <<'PATCH'\n${patch}\nPATCH\n` })
}
