/** The seed's `ClaudeCodeMcpClientContractSuite`: requirement 6.2. */
import { claudeCode } from "./Agents.ts"
import { hold } from "./NativeSuite.ts"

hold(claudeCode)
