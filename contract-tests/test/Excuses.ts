/** What some fakes cannot do, and why: as the ones that they pretend to be. */
import type { ContractSubject } from "../src/ContractSubject.ts"

type Cannot = NonNullable<ContractSubject["cannot"]>

/** `claude mcp serve`. */
export const claudeCodeNative: Cannot = {
  approvals: "`claude mcp serve` asks nobody: it declines by itself what would need an approval",
  tools: "`claude mcp serve` tells nothing of what its agents do",
  usage: "`claude mcp serve` counts the tokens of the first turn alone, and tells no event of them",
}

/** A server that answers calls with plain JSON. */
export const repliesWithJson: Cannot = {
  events: "a reply of plain JSON holds the result and nothing that came before it",
  approvals: "a reply of plain JSON holds no question",
  tools: "a reply of plain JSON holds the result and nothing that came before it",
  usage: "a reply of plain JSON holds the result and nothing that came before it",
}
