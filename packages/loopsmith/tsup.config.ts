import { defineConfig } from "tsup"
import { library } from "../../tsup.config.base.ts"

export default defineConfig([
  // The library, one file in, one file out.
  { ...library, entry: ["src/**/*.ts", "!src/command/**", "!src/server/**"] },
  // The command with all that it needs, its server among it. What only some of it needs is a file of its own. The agent
  // servers stay programs of their own package.
  {
    entry: ["src/command/loopsmith.ts"],
    outDir: "bin",
    format: "esm",
    target: "node22",
    platform: "node",
    noExternal: [/.*/],
    splitting: true,
    clean: true,
    dts: false,
    esbuildOptions: (options) => {
      options.conditions = ["zain-source"]
    },
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
    },
  },
])
