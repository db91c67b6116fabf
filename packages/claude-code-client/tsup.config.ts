import { defineConfig } from "tsup"
import { commands, library } from "../../scripts/Bundles.ts"

export default defineConfig([
  { ...library, entry: ["src/**/*.ts", "!src/server/**"] },
  // The agent's MCP server, which `local()` starts.
  ...commands("bin", ["src/server/zain-claude-code-mcp.ts"]),
])
