import { defineConfig } from "tsup"
import { commands } from "../../tsup.config.base.ts"

export default defineConfig({ ...commands, entry: ["src/zain.ts"] })
