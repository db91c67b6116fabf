/** What some fakes cannot do, and why: as the ones that they pretend to be. */
import type { ContractSubject } from "@zain/contract-tests/ContractSubject"
import { forgets } from "@zain/contract-tests/FakePeer"

type Cannot = NonNullable<ContractSubject["cannot"]>

/** Any agent's own MCP server. */
export const native: Cannot = forgets

const asksNobody = "`claude mcp serve` asks nobody: it declines by itself what would need an approval"

/** `claude mcp serve`. */
export const claudeCodeNative: Cannot = {
  ...forgets,
  changes: asksNobody,
  reasons: asksNobody,
  approvals: asksNobody,
  tools: "`claude mcp serve` tells nothing of what its agents do",
  usage: "`claude mcp serve` counts the tokens of the first turn alone, and tells no event of them",
}

/** A server that answers calls with plain JSON. */
export const repliesWithJson: Cannot = {
  ...forgets,
  changes: "a reply of plain JSON holds no question",
  reasons: "a reply of plain JSON holds no question",
  events: "a reply of plain JSON holds the result and nothing that came before it",
  approvals: "a reply of plain JSON holds no question",
  tools: "a reply of plain JSON holds the result and nothing that came before it",
  usage: "a reply of plain JSON holds the result and nothing that came before it",
}
