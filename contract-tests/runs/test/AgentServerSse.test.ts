import { hold } from "./agent-server/Contract.ts"

await hold("sse")
