import { defineConfig } from "tsup"
import { library } from "../../scripts/Bundles.ts"

export default defineConfig(library)
