/** What some fakes cannot do, and why: as the ones that they pretend to be. */
import type { ContractSubject } from "@zain/contract-tests/ContractSubject"
import { forgets } from "@zain/contract-tests/FakePeer"

type Cannot = NonNullable<ContractSubject["cannot"]>

/** `claude mcp serve`. */
export const claudeCodeNative: Cannot = {
  ...forgets,
  changes: "`claude mcp serve` asks nobody: it declines by itself what would need an approval",
  reasons: "`claude mcp serve` asks nobody: it declines by itself what would need an approval",
  approvals: "`claude mcp serve` asks nobody: it declines by itself what would need an approval",
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
