/**
 * Answers the questions of both agents: by the option that a program prefers, or in own words.
 *
 *   node --conditions=zain-source examples/questions/main.ts
 */
import { type ClientOptions, claudeCode, codex } from "@zain/agents"

const approvals: ClientOptions<object>["approvals"] = {
  ask: ({ kind, questions = [] }) => {
    if (kind !== "question") return "decline"
    const answers = questions.map(({ id, options }) => {
      const option = options.find(({ label }) => /vitest/i.test(label))
      return [id, option?.label ?? "Use vitest."]
    })
    return { answers: Object.fromEntries(answers) }
  },
  log: ({ by, decision }) => console.log(by, JSON.stringify(decision)),
}

await using one = await codex.make({ approvals })
await using other = await claudeCode.make({ approvals })
for (const session of [await one.session(codex.local()), await other.session(claudeCode.local())]) {
  const result = await session.execute("Port the tests to another runner.")
  console.log(result._tag === "Success" ? result.success.content : result.failure.message)
}
