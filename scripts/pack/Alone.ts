/**
 * Each package that users begin with, in a project of its own: what it only asks for when it runs has to come with it, for
 * there nothing else brings it.
 */
import { copyFileSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { environment, same } from "./Nodes.ts"
import * as Npm from "./Npm.ts"
import { versionOf } from "./Project.ts"
import { all, type Steps } from "./Steps.ts"
import type { Tarball } from "./Tarballs.ts"

/**
 * - `beside`: what its page says to install with it
 * - `programs`: what to run, and what that prints; a name that ends in `.js` is a program of `e2e/consumer/alone`, any other
 *   one a command of the package
 */
interface Beginning {
  readonly name: string
  readonly beside: ReadonlyArray<string>
  readonly programs: ReadonlyArray<readonly [name: string, args: ReadonlyArray<string>, printed: string | RegExp]>
}

/** A prompt that fake agents answer. */
const prompt = "⟦zain:say#a1 hello from zain⟧"
const answer = "hello from zain\n"

/** A document that tells its judge, a fake agent, what to say: by the `%25` not word for word what stands in it. */
const document = `⟦zain:say#a2 {"score": 9, "rubric_scores": {"completeness": 9, "accuracy": 9, "clarity": 9, "usability": 9}, "suggestions": ["Say 100%25."]}⟧\n`

export const beginnings: ReadonlyArray<Beginning> = [
  {
    name: "@zain/cli",
    beside: [],
    programs: [
      ["zain", ["run", "--provider", "codex", prompt], answer],
      ["zain", ["run", "--provider", "claude-code", prompt], answer],
    ],
  },
  { name: "@zain/codex-client", beside: ["effect"], programs: [["codex-client.js", [prompt], answer]] },
  { name: "@zain/claude-code-client", beside: ["effect"], programs: [["claude-code-client.js", [prompt], answer]] },
  {
    name: "@zain/loopsmith",
    beside: ["effect"],
    programs: [
      [
        "loopsmith",
        ["improve", "guide.md", "--judge", "claude-code", "--writer", "claude-code", "--json"],
        /"score":9,"first":9,.*\n$/,
      ],
    ],
  },
]

/** @returns the directory that it was installed in, by npm and from the tarballs alone */
export const install = async (
  steps: Steps,
  root: string,
  place: string,
  { beside, name }: Beginning,
  tarballs: ReadonlyArray<Tarball>,
): Promise<string> => {
  const directory = join(place, "alone", name)
  mkdirSync(directory, { recursive: true })
  const files = Object.fromEntries(tarballs.map(({ content, file }) => [content.manifest.name, `file:${file}`]))
  const { [name]: own, ...overrides } = files
  const dependencies = { [name]: own, ...Object.fromEntries(beside.map((each) => [each, versionOf(root, each)])) }
  const manifest = { name: "alone", private: true, type: "module", dependencies, overrides }
  writeFileSync(join(directory, "package.json"), JSON.stringify(manifest))
  await Npm.install(steps, directory, [])
  return directory
}

/**
 * Runs what there is to run, on one Node and with fake agents.
 *
 * @param project where the programs were compiled, and where fake agents can be had
 */
export const check = async (
  steps: Steps,
  place: string,
  node: string,
  project: string,
  { programs }: Beginning,
  directory: string,
) => {
  const home = mkdtempSync(join(place, "home-"))
  const env = environment(node, home)
  await steps.run(node, [join(project, "nodenext/fakes.js"), home], { cwd: project, env })
  writeFileSync(join(directory, "guide.md"), document)
  await all(
    programs.map(([name, args, printed]) => async () => {
      const isCommand = !name.endsWith(".js")
      if (!isCommand) copyFileSync(join(project, "nodenext/alone", name), join(directory, name))
      const program = isCommand ? join("node_modules/.bin", name) : name
      same(await steps.run(node, [program, ...args], { cwd: directory, env }), printed)
    }),
  )
}
