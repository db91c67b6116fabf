/** An agent's program receives the host variables of its own list alone, from every command that starts it. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { agents } from "@zain/agent-list/Agents"
import * as Zain from "../testing/doctor/Zain.ts"
import { inHome } from "../testing/run/Home.ts"

const all = await Promise.all(agents.map(({ facts }) => facts()))

/** One variable for each name of a list. */
const variables = (names: ReadonlyArray<string>) => names.map((name) => name.replace(/\*$/, "PROBE"))

describe("the environment of an agent's program (docs/guides/write-an-adapter.md)", () => {
  inHome.each(
    all.flatMap((facts) => [
      [facts.name, "zain doctor", ["doctor", "--provider", facts.name], facts] as const,
      [facts.name, "its client and its server", ["run", "--provider", facts.name, "Hello"], facts] as const,
    ]),
  )("%s: %s pass its one list, and no variable of another agent", function* (home, [, , args, facts]) {
    const [bin, seen] = [join(home.path, "bin"), join(home.path, "seen")]
    mkdirSync(bin)
    mkdirSync(seen)
    const program = join(bin, facts.program)
    writeFileSync(program, `#!/bin/sh\nenv > ${seen}/$$\necho "${facts.tried.join(".")}"\n`)
    chmodSync(program, 0o755)
    const probes = [...new Set(all.flatMap(({ environment }) => variables(environment))), "AWS_SECRET_ACCESS_KEY"]
    yield* Zain.run(home, args, Object.fromEntries(probes.map((name) => [name, "probe"])))
    const starts = readdirSync(seen)
    assert.isNotEmpty(starts)
    for (const start of starts) {
      const names = readFileSync(join(seen, start), "utf8").match(/^\w+(?==probe$)/gm) ?? []
      // What turns off updates has a value of ours.
      const expected = variables(facts.environment).filter((name) => !(args[0] === "doctor" && name in facts.quiet))
      assert.deepStrictEqual(names.toSorted(), expected.toSorted(), start)
    }
  })
})
