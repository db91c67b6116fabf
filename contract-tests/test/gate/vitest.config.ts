/** For the child that `Reports.ts` runs: as a third party's own tests, with settings that are hard on the suite. */
import { defineConfig } from "vitest/config"

const conditions = ["zain-source", "node", "import", "default"]

export default defineConfig({
  cacheDir: "../../node_modules/.vite/gate",
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: { include: ["*.suite.ts"], retry: 2, sequence: { concurrent: true, shuffle: { tests: true } }, maxWorkers: 2 },
})
