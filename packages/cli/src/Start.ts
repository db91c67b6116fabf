/**
 * Runs `zain` with the arguments of this process and all agents.
 */
import { agents } from "@zain/agent-list/Agents"
import * as Program from "@zain/command/Program"
import * as Main from "./Main.ts"

export const start = (): void => {
  Program.ignoreLostReaders()
  Program.run("zain", Main.main(process.argv.slice(2), agents))
}
