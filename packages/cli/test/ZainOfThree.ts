/** `zain` with a third agent in its list. Run with `--conditions=zain-source`. */
import { fileURLToPath } from "node:url"
import { agents } from "@zain/agent-list/Agents"
import * as Program from "@zain/command/Program"
import { third } from "../../agent-list/testing/ThirdAgent.ts"
import * as Main from "../src/Main.ts"

Program.ignoreLostReaders()
Program.run("zain", Main.main(process.argv.slice(2), [...agents, third(fileURLToPath(import.meta.url))]))
