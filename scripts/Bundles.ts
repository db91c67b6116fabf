import { globSync, readFileSync, rmSync } from "node:fs"
import { basename } from "node:path"
import type { Options } from "tsup"
import { notices } from "./Notices.ts"

/** Shared by all packages. */
const { version } = JSON.parse(readFileSync(new URL("../packages/core/package.json", import.meta.url), "utf8"))
const define = { ZAIN_VERSION: JSON.stringify(version) }

/**
 * One file in, one file out: every module is an entry, and everything it imports stays an import.
 * esbuild leaves specifiers alone when it does not bundle, so relative `.ts` ones are renamed here.
 */
export const library: Options = {
  entry: ["src/**/*.ts"],
  format: "esm",
  target: "node22",
  bundle: true,
  splitting: false,
  sourcemap: true,
  define,
  clean: true,
  dts: false,
  esbuildPlugins: [
    {
      name: "one-file-in-one-file-out",
      setup(build) {
        build.onResolve({ filter: /.*/ }, ({ kind, path }) =>
          kind === "entry-point" ? undefined : { path: path.replace(/^(\.\.?\/.*)\.ts$/, "$1.js"), external: true },
        )
      },
    },
  ],
}

type Plugin = NonNullable<Options["esbuildPlugins"]>[number]

/**
 * The list of agents names their fakes, which tests alone load. The SDK reads a body by `raw-body`, with 500 KB of encodings,
 * where a server has not read it: ours always has.
 */
const without: Plugin = {
  name: "without",
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^@zain\/[^/]+\/fake$/ }, ({ path }) => ({ path, external: true }))
    onLoad({ filter: /\/raw-body\/index\.js$/ }, () => ({ contents: "" }))
  },
}

const command: Options = {
  format: "esm",
  target: "node22",
  platform: "node",
  noExternal: [/.*/],
  splitting: true,
  define,
  dts: false,
  esbuildOptions: (options) => {
    options.conditions = ["zain-source"]
    options.minifyWhitespace = true
    options.minifySyntax = true
  },
  // Some libraries in the bundle call `require` for modules of Node. `createRequire` would take 0.4 ms in each file.
  banner: {
    js: `const require = (id) => {
  const found = process.getBuiltinModule(id);
  if (found === undefined) throw Object.assign(new Error("Cannot find module " + id), { code: "MODULE_NOT_FOUND" });
  return found;
};`,
  },
}

/**
 * Bundled commands in one directory, which start in a quarter of the time. Parts that a command loads late, or that
 * commands share, are separate files; less sharing loads fewer files.
 */
export const commands = (outDir: string, ...groups: ReadonlyArray<NonNullable<Options["entry"]>>): Array<Options> => {
  rmSync(outDir, { recursive: true, force: true })
  const esbuildPlugins = [notices(), without]
  return groups.map((entry) => ({ ...command, esbuildPlugins, entry, outDir }))
}

/** The agents' MCP servers by name. A bundle of a client has them beside it, where `local()` finds them. */
export const servers: Readonly<Record<string, string>> = Object.fromEntries(
  globSync("../*/src/server/zain-*-mcp.ts").map((file) => [basename(file, ".ts"), file]),
)
