/**
 * Packs the packages, checks them, installs them outside of this repository, compiles programs against them, and runs
 * these.
 *
 *     node scripts/pack-check.ts [DIR]
 *
 * DIR is a directory of `pnpm release:pack`, whose tarballs are then checked.
 */
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as ApiReport from "./ApiReport.ts"
import { published } from "./Published.ts"
import * as Consumer from "./pack/Consumer.ts"
import * as EditorTrial from "./pack/EditorTrial.ts"
import { StepFailed, step } from "./pack/Steps.ts"
import * as Tarballs from "./pack/Tarballs.ts"
import * as BundleTrial from "./test/BundleTrial.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const all = published(root)

const place = realpathSync(mkdtempSync(join(tmpdir(), "zain-pack-")))
const remove = () => rmSync(place, { recursive: true, force: true, maxRetries: 5 })
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1))
process.once("exit", remove)

try {
  await step("the API of every package is the one that is committed", async () => {
    const changes = await Promise.all(all.map((each) => ApiReport.change(root, each)))
    if (changes.some((change) => change !== "")) throw new StepFailed(changes.join(""))
  })
  const tarballs = await Promise.all(
    all.map((each) =>
      step(`${each.manifest.name}: packed, and judged by publint, attw and what is in it`, async () => {
        const tarball = await Tarballs.pack(root, place, each, process.argv[2])
        await Tarballs.judge(root, each, tarball)
        return tarball
      }),
    ),
  )
  await step("zain-editor-mcp: installed alone in an empty directory, it serves a fake Unity within a minute", () =>
    EditorTrial.check(place, tarballs),
  )
  const project = await step("installed in an empty project", () => Consumer.make(root, place, all, tarballs))
  await step("compiled by every compiler, declarations too", () => Consumer.compile(project))
  await step("an editor describes every member of the users' types", () => Consumer.hover(project))
  await step("started by the `npx` command of the README", () => Consumer.npx(root, project))
  await step("bundled by esbuild, webpack and Bun, each bundle finds its agent's server", () =>
    BundleTrial.check(project),
  )
  for (const version of Consumer.nodeVersions(all)) {
    await step(`run on Node ${version}`, () => Consumer.check(project, version, Consumer.commandsOf(all)))
  }
} catch {
  process.stdout.write("Not ready to be published: see ✘ above.\n")
  process.exitCode = 1
}
