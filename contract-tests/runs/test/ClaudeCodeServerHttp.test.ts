import { claudeCode } from "./Agents.ts"
import { hold } from "./agent-server/Contract.ts"

await hold(claudeCode, "streamable-http")
