/**
 * The packages as strangers get them: packed, judged, installed by npm outside of this repository, compiled against, and
 * run. See `pack/`.
 *
 *     node scripts/pack-check.ts [DIR]
 *
 * DIR is a directory that `pnpm release:pack` has filled: then its tarballs are tried.
 */
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as ApiReport from "./ApiReport.ts"
import { type Published, published } from "./Published.ts"
import * as Alone from "./pack/Alone.ts"
import * as Nodes from "./pack/Nodes.ts"
import * as Project from "./pack/Project.ts"
import * as Steps from "./pack/Steps.ts"
import * as Tarballs from "./pack/Tarballs.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const all = published(root)
const tell = (line: string) => process.stdout.write(`${line}\n`)
const ending = new AbortController()
const steps = Steps.make(tell, ending.signal)
const { step } = steps

const api = (each: Published) =>
  step(`${each.manifest.name}: its API is the one that is committed`, async () => {
    const change = await ApiReport.change(root, each)
    if (change !== "") throw new Steps.StepFailed(change)
  })

const pack = (place: string, each: Published) =>
  step(`${each.manifest.name}: packed`, () => Tarballs.pack(steps, root, place, each, process.argv[2]))

const judge = (each: Published, tarball: Tarballs.Tarball) => {
  const title = `${each.manifest.name}: judged by publint, attw and what is in it`
  return step(
    title,
    () => Tarballs.judge(steps, root, each, tarball),
    (note) => note,
  )
}

/** A project with the packages in it, and its programs compiled. */
const prepare = async (place: string, tarballs: ReadonlyArray<Tarballs.Tarball>) => {
  const project = Project.make(root, place, tarballs)
  await step("installed by npm outside of this repository", () => Project.install(steps, root, project, tarballs))
  const compile = (resolution: Project.Resolution) => () =>
    step(`${compiled}: moduleResolution ${resolution}`, () => Project.compile(steps, project, resolution))
  await Steps.all(Project.resolutions.map(compile))
  return { project, doors: Project.doorsSaid(tarballs) }
}

const compiled = "compiled under strict, declarations too"

/** Each package that users begin with, installed by itself. */
const installAlone = (place: string, tarballs: ReadonlyArray<Tarballs.Tarball>) =>
  Steps.all(
    Alone.beginnings.map((each) => async () => {
      const title = `${each.name} alone: installed by npm`
      return [each, await step(title, () => Alone.install(steps, root, place, each, tarballs))] as const
    }),
  )

const run = async (place: string, packing: Promise<ReadonlyArray<Tarballs.Tarball>>) => {
  const [prepared, alone, compilers, nodes] = await Steps.all([
    async () => prepare(place, await packing),
    async () => installAlone(place, await packing),
    () => installCompilers(place),
    () => installNodes(place),
  ])
  const { project } = prepared
  const commands = all.flatMap(({ manifest }) => Object.keys(manifest.bin ?? {}))
  const [oldest = process.execPath] = nodes
  await Steps.all([
    ...compilers.map(
      ([version, compiler]) =>
        () =>
          step(`TypeScript ${version}: ${compiled}`, () => Project.compile(steps, project, "nodenext", compiler)),
    ),
    ...nodes.map((node) => () => Nodes.check(steps, place, node, { ...prepared, commands })),
    ...alone.map(
      ([each, directory]) =>
        () =>
          step(`${each.name} alone: run`, () => Alone.check(steps, place, oldest, project, each, directory)),
    ),
  ])
}

const installCompilers = (place: string) =>
  Steps.all(
    Project.olderCompilers.map((version) => async () => {
      const title = `TypeScript ${version}: installed by npm`
      return [version, await step(title, () => Project.installCompiler(steps, place, version))] as const
    }),
  )

const installNodes = (place: string) =>
  Steps.all(
    Nodes.versions(all).map(
      (version) => () => step(`Node ${version}: installed by npm`, () => Nodes.install(steps, place, version)),
    ),
  )

const check = async (place: string) => {
  const packing = Steps.all(all.map((each) => () => pack(place, each)))
  await Steps.all([
    () => run(place, packing),
    ...all.map((each) => () => api(each)),
    ...all.map((each, index) => async () => {
      const tarball = (await packing)[index]
      if (tarball !== undefined) await judge(each, tarball)
    }),
  ])
}

const start = performance.now()
const place = realpathSync(mkdtempSync(join(tmpdir(), "zain-pack-")))
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => ending.abort())
try {
  await check(place)
  tell(`All is well, after ${Steps.seconds(performance.now() - start).trim()}.`)
} catch {
  tell(`Not ready to be published: see ✘ above.`)
  process.exitCode = 1
} finally {
  rmSync(place, { recursive: true, force: true, maxRetries: 5 })
}
