import { codex } from "./Agents.ts"
import { hold } from "./agent-server/Contract.ts"

await hold(codex, "streamable-http")
