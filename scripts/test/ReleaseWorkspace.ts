/**
 * A small workspace of two published packages and a private one, in a temporary directory under git.
 */
import { execFile, execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const release = fileURLToPath(new URL("../release.ts", import.meta.url))
const changeset = fileURLToPath(new URL("../../node_modules/@changesets/cli/bin.js", import.meta.url))

/** In milliseconds. It only ends what hangs. */
const safetyLimit = 240_000

const inherited = {
  PATH: process.env["PATH"],
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
  NO_COLOR: "1",
}

export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface Workspace {
  readonly root: string
  /** Writes files; JSON for what is no text, and `undefined` takes one away. */
  readonly write: (files: Readonly<Record<string, unknown>>) => void
  /** Commits everything. */
  readonly commit: () => void
  /** What git sees that is not committed. */
  readonly changed: () => string
  readonly version: () => void
  readonly release: (args: ReadonlyArray<string>, environment?: NodeJS.ProcessEnv) => Promise<Ended>
  readonly remove: () => void
}

export const manifest = (name: string, more: object = {}) => ({
  name: `@small/${name}`,
  version: "0.0.0",
  license: "MIT",
  type: "module",
  repository: { type: "git", url: "git+https://github.com/small/small.git", directory: `packages/${name}` },
  exports: { ".": { "zain-source": "./src/index.ts", default: "./dist/index.js" } },
  files: ["dist"],
  publishConfig: { access: "public", provenance: true },
  ...more,
})

const files = {
  "package.json": { name: "small", private: true, version: "0.0.0" },
  "pnpm-workspace.yaml": "packages:\n  - packages/*\n",
  ".changeset/README.md": "# What changesets are\n",
  ".changeset/config.json": {
    changelog: "@changesets/cli/changelog",
    fixed: [["@small/*"]],
    access: "public",
    baseBranch: "main",
    privatePackages: false,
  },
  ".changeset/one.md": '---\n"@small/one": minor\n---\n\nOne is there.\n\nIt does one thing.\n',
  ".changeset/both.md": '---\n"@small/one": patch\n"@small/two": minor\n---\n\nBoth go together.\n',
  "packages/one/package.json": manifest("one"),
  "packages/two/package.json": manifest("two", { dependencies: { "@small/one": "workspace:^" } }),
  "packages/hidden/package.json": { name: "@small/hidden", version: "0.0.0", private: true },
  ...Object.fromEntries(
    ["one", "two"].flatMap((name) => [
      [`packages/${name}/README.md`, `# ${name}\n`],
      [`packages/${name}/LICENSE`, "MIT\n"],
    ]),
  ),
}

export const make = (): Workspace => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "zain-release-test-")))
  const git = (...args: Array<string>) =>
    execFileSync("git", ["-c", "user.name=Small", "-c", "user.email=small@example.com", ...args], {
      cwd: root,
      encoding: "utf8",
    })
  const write: Workspace["write"] = (all) => {
    for (const [path, content] of Object.entries(all)) {
      const file = join(root, path)
      mkdirSync(dirname(file), { recursive: true })
      if (content === undefined) rmSync(file)
      else writeFileSync(file, typeof content === "string" ? content : `${JSON.stringify(content, null, 2)}\n`)
    }
  }
  const commit = () => {
    git("add", "--all")
    git("commit", "--quiet", "--allow-empty", "--message", "Small")
  }
  git("init", "--quiet", "--initial-branch=main")
  write(files)
  commit()
  return {
    root,
    write,
    commit,
    changed: () => git("status", "--porcelain"),
    version: () => void execFileSync(process.execPath, [changeset, "version"], { cwd: root, stdio: "pipe" }),
    release: (args, environment = {}) =>
      promisify(execFile)(process.execPath, [release, ...args], {
        cwd: root,
        timeout: safetyLimit,
        env: { ...inherited, HOME: root, ...environment },
      }).then(
        ({ stderr, stdout }): Ended => ({ code: 0, stdout, stderr }),
        (error: Ended): Ended => error,
      ),
    remove: () => rmSync(root, { recursive: true }),
  }
}
