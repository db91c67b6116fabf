import { hold } from "./agent-server/Contract.ts"

await hold("claude-code", "streamable-http")
