/** The configuration of the vitest that `Reports.ts` runs: settings that the suite must override. */
import { defineConfig } from "vitest/config"

const conditions = ["zain-source", "node", "import", "default"]

export default defineConfig({
  cacheDir: "../../node_modules/.vite/gate",
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: { include: ["*.suite.ts"], retry: 2, sequence: { concurrent: true, shuffle: { tests: true } }, maxWorkers: 2 },
})
