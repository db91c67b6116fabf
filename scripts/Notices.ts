/**
 * The licences of bundled code; most require to be distributed with it.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import type { Options } from "tsup"

type Plugin = NonNullable<Options["esbuildPlugins"]>[number]

/** The name of the file beside the bundle. */
export const noticesFile = "THIRD-PARTY-NOTICES.txt"

/** Writes the file when a bundle has been made. Of bundles with a common directory it has the notices of all. */
export const notices = (): Plugin => {
  const texts = new Set<string>()
  return {
    name: "third-party-notices",
    setup(build) {
      build.initialOptions.metafile = true
      build.onEnd(({ metafile }) => {
        const { absWorkingDir = process.cwd(), outdir } = build.initialOptions
        if (metafile === undefined || outdir === undefined) return
        const used = Object.values(metafile.outputs).flatMap(({ inputs }) =>
          Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? packageOf(path) : [])),
        )
        for (const directory of new Set(used)) texts.add(notice(resolve(absWorkingDir, directory)))
        // tsup writes the bundle only after this.
        const directory = resolve(absWorkingDir, outdir)
        mkdirSync(directory, { recursive: true })
        writeFileSync(join(directory, noticesFile), `${preface}${[...texts].sort().join("\n")}`)
      })
    },
  }
}

const preface = "The code beside this file contains code of others, under these licences.\n\n"

/** The directory of a file's package, unless it belongs to this repository. */
const packageOf = (path: string): ReadonlyArray<string> => {
  const [, directory] = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path) ?? []
  return directory === undefined ? [] : [directory]
}

const notice = (directory: string): string => {
  const { license, name, version } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"))
  const files = readdirSync(directory).filter((file) => /^(licen[cs]e|copying|notice)(\.|-|$)/i.test(file))
  if (files.length === 0 && license === undefined) throw new Error(`${name} does not say under which licence it is.`)
  const texts = files.sort().map((file) => readFileSync(join(directory, file), "utf8").trim())
  return `${"=".repeat(80)}\n${name} ${version} (${license})\n\n${texts.join("\n\n")}\n`
}
