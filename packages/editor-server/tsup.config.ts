import { defineConfig } from "tsup"
import { commands } from "../../scripts/Bundles.ts"

export default defineConfig(commands("dist", ["src/command/zain-editor-mcp.ts"]))
