import { expect, it } from "vitest"

it("McpClient contract: parrot > executing.answers: passes, and is no test of the suite", () => expect(1).toBe(1))
