import { defineConfig } from "tsup"
import { library } from "../../tsup.config.base.ts"

/** The library, one file in, one file out. Its command and its server are bundled into one program. */
export default defineConfig({ ...library, entry: ["src/**/*.ts", "!src/command/**", "!src/server/**"] })
