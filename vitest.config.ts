import { defineConfig } from "vitest/config"

/** Without `module`, for which Node finds an ES build of `@opentelemetry/api` that it cannot load. */
const conditions = ["zain-source", "node", "import", "default"]

const faults = "contract-tests/test/Faults*.test.ts"
/** The agent server's real commands, before fake agents. */
const servers = "contract-tests/test/{AgentDies,ClaudeCodeServer*,CodexServer*}.test.ts"

const project = (
  name: string,
  include: string,
  options: { readonly testTimeout?: number; readonly exclude?: Array<string> } = {},
) => ({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: { name, include: [include], ...options },
})

export default defineConfig({
  test: {
    // Most tests wait for processes, not for a processor.
    maxWorkers: 4,
    projects: [
      project("packages", "packages/*/test/**/*.test.ts", { testTimeout: 60_000 }),
      project("contract-tests", "contract-tests/test/**/*.test.ts", {
        testTimeout: 60_000,
        exclude: [faults, servers],
      }),
      project("servers", servers, { testTimeout: 60_000 }),
      project("faults", faults, { testTimeout: 60_000 }),
      project("scripts", "scripts/test/**/*.test.ts"),
      project("e2e", "e2e/test/**/*.test.ts", { testTimeout: 60_000 }),
    ],
  },
})
