import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, it } from "vitest"
import * as ContractSubject from "../src/ContractSubject.ts"

const source = new URL("../src/", import.meta.url)
const read = (file: string) => readFileSync(new URL(file, source), "utf8")

/** What a module imports at run time. */
const importsOf = (file: string): ReadonlyArray<string> =>
  [...read(file).matchAll(/^(?:import|export) (?!type\b)[^;]*?from "([^"]+)"|import\("([^"]+)"\)/gmu)].map(
    ([, path, dynamic = ""]) => path ?? dynamic,
  )

it("only `VitestRunner` and `FaultRunner` import vitest", () => {
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"))
  const runners = ["FaultRunner.ts", "VitestRunner.ts"]
  expect(files.filter((file) => importsOf(file).some((path) => path.includes("vitest"))).sort()).toEqual(runners)
  for (const runner of runners) expect(files.filter((file) => importsOf(file).includes(`./${runner}`))).toEqual([])
})

it.each([
  ...["FakePeerProcess.ts", "FakeAgentProcess.ts", "FakeDialect.ts", "ContractScript.ts"],
  "faults/peer/FaultPeerProcess.ts",
])("%s, which a peer's program is made of, needs nothing but Node", (program) => {
  const seen = new Set<string>()
  const foreign: Array<string> = []
  const follow = (file: string) => {
    if (seen.has(file)) return
    seen.add(file)
    for (const path of importsOf(file)) {
      if (path.startsWith(".")) follow(join(dirname(file), path))
      else if (!path.startsWith("node:")) foreign.push(`${file}: ${path}`)
    }
  }
  follow(program)
  expect(foreign).toEqual([])
})

it("the README names every capability", () => {
  const readme = read("../README.md")
  for (const name of Object.keys(ContractSubject.capabilities)) expect(readme).toContain(`\`${name}\``)
})
