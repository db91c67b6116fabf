import { defineConfig } from "tsup"
import { commands, library, servers } from "../../scripts/Bundles.ts"

export default defineConfig([
  // The library, one file in, one file out.
  { ...library, entry: ["src/**/*.ts", "!src/command/**", "!src/server/**"] },
  // The command, its server included, and beside it the servers of the agents that it starts.
  ...commands("bin", ["src/command/loopsmith.ts"], servers),
])
