import { defineConfig } from "tsup"
import { commands, library } from "../../scripts/Bundles.ts"

export default defineConfig([
  // The library, one file in, one file out.
  { ...library, entry: ["src/**/*.ts", "!src/command/**", "!src/server/**"] },
  // The command, its server included. The agent servers stay programs of their own package.
  { ...commands, entry: ["src/command/loopsmith.ts"], outDir: "bin" },
])
