import { globSync } from "node:fs"
import { basename } from "node:path"
import type { Options } from "tsup"
import { notices } from "./Notices.ts"

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

/**
 * Commands with all that they need: a bundled command starts in a quarter of the time. What only some of a command needs is
 * a file of its own.
 */
export const commands: Options = {
  format: "esm",
  target: "node22",
  platform: "node",
  noExternal: [/.*/],
  splitting: true,
  clean: true,
  dts: false,
  esbuildPlugins: [notices],
  esbuildOptions: (options) => {
    options.conditions = ["zain-source"]
    options.minifyWhitespace = true
  },
  // Some libraries in the bundle still call `require`, and some import `createRequire` themselves.
  banner: {
    js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
  },
}

/** The agents' MCP servers, by their names: whoever bundles a client bundles them beside it, where `local()` finds them. */
export const servers: Readonly<Record<string, string>> = Object.fromEntries(
  globSync("../*/src/server/zain-*-mcp.ts").map((file) => [basename(file, ".ts"), file]),
)
