import { defineConfig } from "tsup"
import { commands, servers } from "../../scripts/Bundles.ts"

export default defineConfig({ ...commands, entry: { zain: "src/zain.ts", ...servers } })
