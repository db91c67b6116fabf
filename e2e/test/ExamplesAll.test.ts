import { readdirSync, readFileSync } from "node:fs"
import { isBuiltin } from "node:module"
import { basename, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { root } from "../src/Programs.ts"

const read = (path: string) => readFileSync(join(root, path), "utf8")

const directories = readdirSync(join(root, "examples"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== "node_modules")
  .map(({ name }) => `examples/${name}`)
const files = directories.flatMap((directory) =>
  readdirSync(join(root, directory)).map((name) => `${directory}/${name}`),
)

/** The entry files of examples; files beside one belong to it. */
const programs = files.filter((file) => /\/(main|promises|Provider\.test)\.ts$/.test(file))

const linesOfCode = (source: string) =>
  source
    .replaceAll(/\/\*\*.*?\*\//gs, "")
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.trim().startsWith("//")).length

const specifiers = (source: string) =>
  [...source.matchAll(/(?:from|^import) "([^"]+)"/gm)].map(([, name]) => name ?? "")

describe("every example", () => {
  it("is run by a test: no program and no directory of examples/ is left out", () => {
    const tests = readdirSync(join(root, "e2e/test"))
      .filter((name) => name.endsWith(".test.ts") && name !== basename(import.meta.filename))
      .map((name) => read(`e2e/test/${name}`).replaceAll(/\/\*.*?\*\/|^\s*\/\/[^\n]*/gms, ""))
      .filter((test) => !/\.skip\b/.test(test))
    for (const program of programs) {
      assert.isTrue(
        tests.some((test) => test.includes(`"${program}"`) || test.includes(`"../../${program}"`)),
        `No test of e2e runs ${program}.`,
      )
    }
    for (const directory of directories) {
      assert.isTrue(
        programs.some((program) => program.startsWith(`${directory}/`)),
        `${directory} holds no program.`,
      )
    }
  })

  it("imports public packages, Node's modules and its own files, and nothing else", () => {
    for (const file of files) {
      for (const name of specifiers(read(file))) {
        const isPublic = isBuiltin(name) ? name.startsWith("node:") : !name.startsWith("..")
        assert.isTrue(isPublic, `${file} imports ${name}.`)
      }
    }
  })

  it("starts with what it shows and how to run it, except that of the README", () => {
    for (const program of programs) {
      if (program === "examples/one-request/main.ts") continue
      const [, header = ""] = /^\/\*\*\n(.*?)\n \*\//s.exec(read(program)) ?? []
      const [, prose = "", command] = /^(.+)\n \*\n \* {3}(\S.*)$/s.exec(header) ?? []
      assert.match(command ?? "", /\bnode .*examples\/|^pnpm |^npx vitest /, `The header of ${program} has no command.`)
      assert.isAtMost(prose.split("\n").length, 3, program)
    }
  })

  it("demo has at most 150 lines", () => {
    const demo = files.filter((file) => file.startsWith("examples/demo/"))
    assert.isAtMost(
      demo.map((file) => read(file).trimEnd().split("\n").length).reduce((a, b) => a + b),
      150,
    )
  })

  it("third-provider is a provider in thirty lines of code", () => {
    assert.isAtMost(linesOfCode(read("examples/third-provider/Provider.ts")), 30)
  })
})

describe("docs/guides/examples.md", () => {
  const rows = [
    ...read("docs/guides/examples.md").matchAll(/^\| \[[^\]]+\]\(\.\.\/\.\.\/([^)]+)\) +\|.*\| +(\d+) \|$/gm),
  ]

  it("lists every example", () => {
    for (const directory of directories) {
      assert.isTrue(
        rows.some(([, path]) => path?.startsWith(`${directory}/`)),
        directory,
      )
    }
  })

  it("lists the length of each", () => {
    assert.deepStrictEqual(
      rows.map(([, path = "", lines]) => [path, Number(lines)]),
      rows.map(([, path = ""]) => [path, linesOfCode(read(path))]),
    )
  })
})
