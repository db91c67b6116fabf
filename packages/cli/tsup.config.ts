import { defineConfig } from "tsup"
import { commands, servers } from "../../scripts/Bundles.ts"

export default defineConfig(commands("dist", ["src/zain.ts"], servers))
