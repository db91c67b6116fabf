import { defineConfig } from "tsup"
import { commands } from "../../scripts/Bundles.ts"

export default defineConfig({ ...commands, entry: ["src/zain-codex-mcp.ts", "src/zain-claude-code-mcp.ts"] })
