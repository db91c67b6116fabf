import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { TestReporter } from "./scripts/TestReport.ts"

/** Commands as bundles, packages from source; without `module`, for which Node finds a build of `@opentelemetry/api` that it cannot load. */
const conditions = ["zain-bundled", "zain-source", "node", "import", "default"]

// Tests start Node some thousand times: a start with a cache takes a third of the CPU.
process.env["NODE_COMPILE_CACHE"] ??= fileURLToPath(new URL("node_modules/.cache/compiled", import.meta.url))

const faults = "contract-tests/{,runs/}test/Faults*.test.ts"
/** The agent server's real commands, before fake agents. */
const servers = "contract-tests/runs/test/{AgentDies,AgentServer*}.test.ts"

/**
 * Long stories of the real agents, other people's suites, and this repository's pages, examples and tools. Of the two agents
 * over the two transports that listen, each agent and each transport has its turn in `pnpm test`.
 */
const apart = [
  "contract-tests/{,runs/}test/{AgentServerOnRunners,ErrorsPage,Exit,Faults{Dialect*,Mutants,Shared,ThirdParty},Gate}.test.ts",
  "e2e/test/AgentServer{Argv,Ends,Silence}.test.ts",
  "e2e/test/{Blender*,Conformance,DemoCluster,Doctor,FailedTurn,HostEnds,ServerConformance}.test.ts",
  "e2e/test/{attack/Surroundings,Improve,LoopSmith*,OpenTelemetry,Orchestrator,Scenarios,Soak}.test.ts",
  "e2e/test/{Examples,ExamplesOrchestrator,ExamplesRace,ExamplesThirdProvider,Site,Snippets,SnippetsHarness}.test.ts",
  "packages/cluster-{client,runner}/test/**/{ClusterEngine,ContractRunners,Kills,zain-runner}.test.ts",
  "packages/*/test/**/HostileArguments.test.ts",
  "scripts/test/ContractGateWorkflow.test.ts",
]

/** What is cut short in `pnpm test`, and has its rest in `pnpm test:rest`: see `e2e/src/Breadth.ts` and `agent-server/Contract.ts`. */
const matrix = globSync("e2e/test/**/*.test.ts")
  .filter((file) => readFileSync(file, "utf8").includes("src/Breadth.ts"))
  .concat("contract-tests/runs/test/AgentServer{Http,Sse}.test.ts", "e2e/test/Server{Http,Sse}.test.ts")

/** The hostile models and repositories of docs/concepts/security.md. */
const attacks = "e2e/test/attack/*.test.ts"

/** In milliseconds. It only ends what hangs: no test is measured by it. */
const hang = 300_000

/**
 * `pnpm test` runs everything but the rest, which `--mode rest` runs; `pnpm test:all` runs both. `pnpm attack` tries the
 * attacks alone, all of them.
 */
export default defineConfig(({ mode }) => {
  const isRest = mode === "rest"
  const project = (name: string, include: ReadonlyArray<string>, exclude: ReadonlyArray<string> = apart) => ({
    resolve: { conditions },
    ssr: { resolve: { conditions } },
    test: {
      name,
      include: [...include],
      exclude: [...exclude],
      // Pages are compared with all that is provoked in their file.
      isolate: isRest,
      env: { ZAIN_TESTS: mode },
      testTimeout: hang,
      hookTimeout: hang,
    },
  })
  return {
    test: {
      globalSetup: "scripts/bundle-commands.ts",
      // For `.ci/run`, which judges flaky tests by it.
      ...(process.env["ZAIN_TEST_REPORT"] === undefined ? {} : { reporters: ["default", new TestReporter()] }),
      // Most tests wait for processes, not for a processor.
      maxWorkers: 4,
      projects: isRest
        ? [project("rest", [...apart, ...matrix], [])]
        : mode === "attack"
          ? [project("attack", [attacks], [])]
          : [
              project("packages", ["packages/*/test/**/*.test.ts"]),
              project("contract-tests", ["contract-tests/{,runs/}test/**/*.test.ts"], [faults, servers, ...apart]),
              project("servers", [servers]),
              project("faults", [faults]),
              project("scripts", ["scripts/test/**/*.test.ts"]),
              project("e2e", ["e2e/test/**/*.test.ts"]),
            ],
    },
  }
})
