import { defineConfig } from "tsup"
import { commands, servers } from "../../scripts/Bundles.ts"

// The agents' MCP servers lie beside the library, which starts them.
export default defineConfig(commands("dist", ["src/index.ts"], servers))
