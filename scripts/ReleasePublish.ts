/**
 * Publishes tarballs that `pnpm release --pack DIR` has made: `node scripts/ReleasePublish.ts DIR`. It runs where npm
 * trusts every program, so it needs nothing but Node and npm: no package of others is there to run.
 */
import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { promisify } from "node:util"

/** What `changeset pack` writes into `publish-plan.json`: groups that follow each other, dependencies first. */
interface Plan {
  readonly plan: ReadonlyArray<ReadonlyArray<Release>>
}

interface Release {
  readonly kind: string
  readonly name: string
  readonly version: string
  readonly access: string
  readonly tag: string
  readonly tarball?: { readonly path: string; readonly integrity: string }
}

/** A tarball, and what npm is told of it. */
interface Due extends Release {
  readonly file: string
}

const read = (directory: string): ReadonlyArray<Due> => {
  const { plan } = JSON.parse(readFileSync(join(directory, "publish-plan.json"), "utf8")) as Plan
  return plan
    .flat()
    .filter(({ kind }) => kind === "publish")
    .map((release) => {
      const { path = "", integrity } = release.tarball ?? {}
      const file = resolve(directory, path)
      const found = `sha256-${createHash("sha256").update(readFileSync(file)).digest("base64")}`
      if (found !== integrity) throw new Error(`${path} is not the tarball that was packed: it is ${found}.`)
      return { ...release, file }
    })
}

/**
 * A token is only for packages that npm does not know yet; otherwise npm knows the workflow. The file names the variable:
 * npm puts its value in.
 *
 * @returns the variables that lead npm to it
 */
const login = async (place: string): Promise<NodeJS.ProcessEnv> => {
  if ((process.env["NPM_TOKEN"] ?? "") === "") return {}
  const file = join(place, "npmrc")
  const registry = new URL((await promisify(execFile)("npm", ["config", "get", "registry"])).stdout.trim())
  writeFileSync(file, `//${registry.host}${registry.pathname}:_authToken=\${NPM_TOKEN}\n`, { mode: 0o600 })
  return { npm_config_userconfig: file }
}

/** What npm says of a version that it has. */
const isThere = (said: string) => said.includes("cannot publish over the previously published version")

const publish = async ({ access, file, name, tag, version }: Due, env: NodeJS.ProcessEnv): Promise<string> => {
  const args = ["publish", file, "--provenance", "--ignore-scripts", "--access", access, "--tag", tag]
  try {
    await promisify(execFile)("npm", args, { env: { ...process.env, ...env } })
    return `${name}@${version} is published.`
  } catch (cause) {
    const { message, stderr = "" } = cause as Error & { readonly stderr?: string }
    if (isThere(stderr)) return `${name}@${version} was published already.`
    throw new Error(`${name}@${version} was not published. ${stderr || message}`)
  }
}

const main = async ([directory]: ReadonlyArray<string>): Promise<void> => {
  if (directory === undefined) throw new Error("Name the directory that pnpm release --pack has filled.")
  if (process.env["ACTIONS_ID_TOKEN_REQUEST_URL"] === undefined)
    throw new Error("Nobody here can say to npm where the packages come from. Let release.yml publish.")
  const due = read(directory)
  if (due.length === 0) process.stdout.write("Everything is published already.\n")
  const place = mkdtempSync(join(tmpdir(), "zain-publish-"))
  try {
    const env = await login(place)
    for (const each of due) process.stdout.write(`${await publish(each, env)}\n`)
  } finally {
    rmSync(place, { recursive: true })
  }
}

await main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`release: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
})
