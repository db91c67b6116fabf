import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { ContractReporter } from "./scripts/ContractReporter.ts"
import { TestReporter } from "./scripts/TestReport.ts"

/** Commands as bundles, packages from source; without `module`, for which Node finds a build of `@opentelemetry/api` that it cannot load. */
const conditions = ["zain-bundled", "zain-source", "node", "import", "default"]

// Tests start Node some thousand times: a start with a cache takes a third of the CPU.
process.env["NODE_COMPILE_CACHE"] ??= fileURLToPath(new URL("node_modules/.cache/compiled", import.meta.url))

/** Two patterns: one with a slash in braces makes the search follow the links in node_modules, which are cycles. */
const ofContract = (name: string) => [`contract-tests/test/${name}.test.ts`, `contract-tests/runs/test/${name}.test.ts`]

const faults = ofContract("Faults*")
/** The agent server's real commands, before fake agents. */
const servers = "contract-tests/runs/test/{AgentDies,AgentServer*}.test.ts"

/** A page, compared with all that is provoked in its file. */
const pages = "contract-tests/runs/test/ErrorsPage.test.ts"

/** Long stories of the real agents, other people's suites, and this repository's pages, examples and tools. */
const apart = [
  ...ofContract("{AgentServerOnRunners,Exit,Faults{Dialect*,Mutants,Shared,ThirdParty},Gate}"),
  "e2e/test/AgentServer{Argv,Ends,Silence}.test.ts",
  "e2e/test/{Blender*,Conformance,DemoCluster,Doctor,FailedTurn,HostEnds,ServerConformance}.test.ts",
  "e2e/test/attack/Surroundings.test.ts",
  "e2e/test/{Improve,LoopSmith*,OpenTelemetry,Orchestrator,Scenarios,Soak}.test.ts",
  "e2e/test/{Examples,ExamplesOrchestrator,ExamplesRace,ExamplesThirdProvider,Site,Snippets,SnippetsHarness}.test.ts",
  "packages/cluster-{client,runner}/test/**/{ClusterEngine,ContractRunners,Kills,zain-runner}.test.ts",
  "packages/*/test/**/HostileArguments.test.ts",
  "scripts/test/ContractGateWorkflow.test.ts",
]

/** The hostile models and repositories of docs/concepts/security.md. */
const attacks = "e2e/test/attack/*.test.ts"

/** In milliseconds. It only ends what hangs: no test is measured by it. */
const hang = 300_000

/** Files share a worker, and what it has loaded, unless they are isolated. */
const project = (
  name: string,
  include: ReadonlyArray<string>,
  { exclude = [pages, ...apart], isolate = false }: { exclude?: ReadonlyArray<string>; isolate?: boolean } = {},
) => ({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: { name, include: [...include], exclude: [...exclude], isolate, testTimeout: hang, hookTimeout: hang },
})

/** Short sources that run a whole suite. */
const long =
  /\/(AgentServer(Http|OnRunners|Stdio)|Contract\w*|Exit|Faults\w*|McpClientContractSuite|Model|S(erver\w*|ite|nippets))\.test\.ts$/

/** Vitest runs long sources first where it knows no durations, and projects by their names. */
class LongFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const order = Object.values(projects).flatMap((some) => some.map(({ test }) => test.name))
    const rank = ({ moduleId, project }: TestSpecification) =>
      2 * order.indexOf(project.name) + (long.test(moduleId) ? 0 : 1)
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other))
  }
}

const projects = {
  rest: [project("rest", apart, { exclude: [] }), project("pages", [pages], { exclude: [], isolate: true })],
  attack: [project("attack", [attacks], { exclude: [] })],
  test: [
    project("servers", [servers]),
    project("faults", faults),
    project("e2e", ["e2e/test/**/*.test.ts"]),
    project("contract-tests", ofContract("**/*"), {
      exclude: [...faults, servers, pages, ...apart],
    }),
    project("packages", ["packages/*/test/**/*.test.ts"]),
    project("scripts", ["scripts/test/**/*.test.ts"]),
  ],
}

/**
 * `pnpm test` runs everything but the rest, which `--mode rest` runs; `pnpm test:all` runs both. `pnpm attack` tries the
 * attacks alone, all of them.
 */
export default defineConfig(({ mode }) => ({
  test: {
    globalSetup: "scripts/bundle-commands.ts",
    // For `.ci/run`, which judges flaky tests and the contract by them.
    ...(process.env["ZAIN_TEST_REPORT"] === undefined
      ? {}
      : { reporters: ["default", new TestReporter(), new ContractReporter()] }),
    // Most tests wait for processes, not for a processor.
    maxWorkers: 4,
    sequence: { sequencer: LongFirst },
    projects: mode === "rest" || mode === "attack" ? projects[mode] : projects.test,
  },
}))
