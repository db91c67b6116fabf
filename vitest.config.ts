import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

/** Commands as bundles, packages from source; without `module`, for which Node finds a build of `@opentelemetry/api` that it cannot load. */
const conditions = ["zain-bundled", "zain-source", "node", "import", "default"]

// Tests start Node some thousand times: a start with a cache takes a third of the CPU.
process.env["NODE_COMPILE_CACHE"] ??= fileURLToPath(new URL("node_modules/.cache/compiled", import.meta.url))

const faults = "contract-tests/test/Faults*.test.ts"
/** The agent server's real commands, before fake agents. */
const servers = "contract-tests/test/{AgentDies,ClaudeCodeServer*,CodexServer*}.test.ts"

/** Long stories of the real agents, other people's suites, and this repository's pages, examples and tools. */
const apart = [
  "contract-tests/test/{ErrorsPage,Exit,Faults{Dialect*,Mutants,ThirdParty},Gate}.test.ts",
  "e2e/test/{AgentServer{Ends,Killed,Parallel,Resume},Conformance,HostEnds,ServerConformance}.test.ts",
  "e2e/test/{Improve,LoopSmith*,OpenTelemetry,Soak}.test.ts",
  "e2e/test/{Examples,ExamplesRace,ExamplesThirdProvider,Snippets,SnippetsHarness,SnippetsHarnessRight}.test.ts",
  "scripts/test/{ContractGateWorkflow,PackCheck,Release,ReleasePublish,ReleaseSteps,ReleaseWorkflow}.test.ts",
]

/** What `e2e/src/Breadth.ts` cuts short in `pnpm test`. */
const matrix =
  "e2e/test/{AgentServer{ModelFails,Official,Port},ClaudeCode,Codex,Demo,EverythingStdio,*Server{Http,Sse}}.test.ts"

/** In milliseconds. It only ends what hangs: no test is measured by it. */
const hang = 300_000

/** `pnpm test` runs everything but the rest, which `--mode rest` runs; `pnpm test:all` runs both. */
export default defineConfig(({ mode }) => {
  const project = (
    name: string,
    include: ReadonlyArray<string>,
    { exclude = [], ...options }: { readonly exclude?: ReadonlyArray<string>; readonly isolate?: boolean } = {},
  ) => ({
    resolve: { conditions },
    ssr: { resolve: { conditions } },
    test: {
      name,
      include: [...include],
      exclude: [...exclude],
      env: { ZAIN_TESTS: mode },
      testTimeout: hang,
      hookTimeout: hang,
      ...options,
    },
  })
  return {
    test: {
      globalSetup: "scripts/bundle-commands.ts",
      // Most tests wait for processes, not for a processor.
      maxWorkers: 4,
      projects:
        mode === "rest"
          ? [project("rest", [...apart, matrix])]
          : [
              project("packages", ["packages/*/test/**/*.test.ts"], { isolate: false }),
              project("contract-tests", ["contract-tests/test/**/*.test.ts"], {
                exclude: [faults, servers, ...apart],
                isolate: false,
              }),
              project("servers", [servers], { isolate: false }),
              project("faults", [faults], { exclude: apart }),
              project("scripts", ["scripts/test/**/*.test.ts"], { exclude: apart }),
              project("e2e", ["e2e/test/**/*.test.ts"], { exclude: apart, isolate: false }),
            ],
    },
  }
})
