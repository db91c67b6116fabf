import { defineConfig } from "tsup"
import { commands, servers } from "../../scripts/Bundles.ts"

export default defineConfig(commands("dist", { "zain-runner": "src/command/zain-runner.ts" }, servers))
