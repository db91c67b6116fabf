/** The seed's `CodexMcpClientContractSuite`: requirement 6.1. */
import { codex } from "./Agents.ts"
import { hold } from "./NativeSuite.ts"

hold(codex)
