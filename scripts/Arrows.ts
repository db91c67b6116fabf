/**
 * The allowed imports between packages, as data.
 */
import { globSync, readFileSync } from "node:fs"
import { isBuiltin } from "node:module"
import { posix } from "node:path"
import { fileURLToPath } from "node:url"
import { agents } from "../packages/agent-list/src/Agents.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

/**
 * What a package's `src`, or a folder of its tests, may import beside its own files. `node:` stands for Node's built-in
 * modules; `unstable` are the modules of `effect` that it may use although they change from minor to minor, `effect` itself
 * stands for all; `own` are the folders of its package that a part may use, all where it is absent.
 */
export interface Rule {
  readonly may: ReadonlyArray<string>
  readonly unstable?: ReadonlyArray<string>
  readonly own?: ReadonlyArray<string>
}

/** Modules of `effect` that change from minor to minor, beside those in folders; they stay out of the port. */
const unstable = ["Arbitrary", "ByteSize", "Bytes", "ErrorReporter", "ExecutionPlan", "FileSystem", "Graph", "HashRing"]
  .concat(["LayerMap", "LayerRef", "Newtype", "PartitionedSemaphore", "Path", "PlatformError", "SemVer", "Stdio"])
  .concat(["Terminal", "TxChunk", "TxQueue"])
  .map((name) => `effect/${name}`)

/** What every agent's package may import, by its folder. */
const clients: Readonly<Record<string, Rule>> = Object.fromEntries(
  agents.flatMap(({ folder }) => [
    [folder, { may: ["effect", "node:", "@zain/core", "@zain/process", "@zain/sdk-client"] }],
    // A dialect for the neutral fakes. Their programs load it, so it names only doors that need nothing but Node.
    [
      `${folder}/src/fake`,
      { may: ["node:", "@zain/contract-tests/ContractScript", "@zain/contract-tests/FakeDialect"] },
    ],
    // The agent's MCP server, a program of the package.
    [
      `${folder}/src/server`,
      {
        may: [
          "effect",
          "node:",
          "@zain/command",
          "@zain/core",
          "@zain/process",
          "@zain/agent-server",
          "@zain/tool-server",
        ],
      },
    ],
  ]),
)

/** What every editor's package may import: also the libraries that its package.json names. */
const editors: Readonly<Record<string, Rule>> = Object.fromEntries(
  globSync("packages/editor-*/package.json", { cwd: root })
    .map((manifest) => posix.dirname(manifest))
    .filter((folder) => !["packages/editor-link", "packages/editor-server"].includes(folder))
    .flatMap((folder): ReadonlyArray<readonly [string, Rule]> => {
      const { devDependencies } = JSON.parse(readFileSync(posix.join(root, folder, "package.json"), "utf8"))
      const libraries = Object.keys(devDependencies).filter((name) => !name.startsWith("@"))
      const link = ["domain", "fake", "infrastructure/link", "infrastructure/mcp"].map(
        (part) => `@zain/editor-link/${part}`,
      )
      const shared = ["node:", "@zain/command", "@zain/process", "@zain/tool-server", `${folder}/src/fake`, folder]
      return [
        [folder, { may: [...libraries, ...shared, ...link] }],
        [`${folder}/src/fake`, { may: ["effect", "node:", "@zain/process", "@zain/editor-link/fake"] }],
      ]
    }),
)

/** The layers of the seed: each part names the parts that it may use. */
const editorLink = (parts: Readonly<Record<string, Rule>>): Readonly<Record<string, Rule>> =>
  Object.fromEntries(
    Object.entries(parts).map(([part, { own = [], ...rule }]) => [
      `packages/editor-link/src/${part}`,
      { ...rule, own: own.map((folder) => `packages/editor-link/src/${folder}`) },
    ]),
  )

export const rules: Readonly<Record<string, Rule>> = {
  ...clients,
  "packages/core": {
    may: ["effect", ...["attachments", "expressions", "validation"].map((part) => `packages/core/src/${part}`)],
  },
  // Loaded only by requests that attach a file.
  "packages/core/src/attachments": { may: ["effect", "node:"] },
  // Loaded only by requests with a JSON Schema: see decision 33.
  "packages/core/src/validation": { may: ["effect", "@cfworker/json-schema"] },
  // Loaded only by policies with expressions: see decision 15.
  "packages/core/src/expressions": { may: ["effect", "node:", "@eslint-community/regexpp", "scslre"] },
  "packages/process": { may: ["effect", "node:"] },
  "packages/sdk-client": { may: ["effect", "node:", "@zain/core", "@zain/process", "undici"] },
  // For programs without Effect: both agents, bundled.
  "packages/agents": {
    may: [
      "effect",
      "@zain/core",
      "@zain/sdk-client",
      ...agents.map(({ folder }) => folder.replace("packages", "@zain")),
    ],
  },
  "packages/agent-list": {
    may: [
      "effect",
      "@zain/core",
      "@zain/contract-tests/FakeDialect",
      "@zain/sdk-client",
      ...agents.map(({ folder }) => folder.replace("packages", "@zain")),
      // Not published, so not exported.
      ...agents.map(({ folder }) => `${folder}/src/server`),
    ],
  },
  "packages/command": { may: ["effect", "node:", "@zain/process", "string-width", "wrap-ansi"] },
  "packages/testkit": { may: ["effect", "node:", "@effect/vitest"], unstable: ["effect"] },
  "packages/tool-server": {
    may: ["effect", "node:", "@modelcontextprotocol/sdk", "@zain/command", "@zain/core", "@zain/process", "ws"],
  },
  "packages/agent-server": {
    may: [
      "effect",
      "node:",
      "@modelcontextprotocol/sdk",
      "@zain/command",
      "@zain/core",
      "@zain/process",
      "@zain/tool-server",
      "diff",
    ],
  },
  // The library asks for an McpClient; its command and its server come with providers and transports.
  "packages/loopsmith": { may: ["effect", "node:", "@zain/core", "strip-json-comments"] },
  "packages/loopsmith/src/server": {
    may: ["effect", "node:", "@zain/command", "@zain/core", "@zain/tool-server", "@modelcontextprotocol/sdk"],
  },
  "packages/loopsmith/src/command": {
    may: [
      "effect",
      "node:",
      "@zain/agent-list",
      "@zain/command",
      "@zain/core",
      "@zain/process",
      "@zain/tool-server",
    ].concat(["@zain/sdk-client/AnswerOnly"]),
  },
  // A program over the port: providers, transports, and libraries for the terminal.
  "packages/cli": {
    may: [
      "effect",
      "node:",
      "@zain/command",
      "@zain/core",
      "@zain/process",
      "@zain/tool-server",
      "@zain/agent-list",
      "@zain/cluster-client",
    ].concat([
      // The table of the options of `zain serve`.
      "@zain/agent-server/ServerCommandLine",
      "@clack/prompts",
      "@effect/platform-node",
      "@zain/sdk-client/AgentFacts",
      "@zain/sdk-client/McpServerProbe",
      "cli-table3",
      "picocolors",
      "smol-toml",
      "strip-json-comments",
    ]),
    unstable: ["effect/cli", "effect/FileSystem"],
  },
  "packages/scripted-model": { may: ["effect", "node:", "smol-toml"] },
  ...editorLink({
    domain: { may: ["effect"], own: ["domain"] },
    application: { may: ["effect"], own: ["domain", "application"] },
    infrastructure: {
      may: [
        "effect",
        "node:",
        "@zain/core",
        "@zain/command",
        "@zain/process",
        "@zain/tool-server",
        "@modelcontextprotocol/sdk",
      ],
      own: ["domain", "application", "infrastructure"],
    },
    fake: { may: ["effect", "node:", "@zain/process"], own: ["fake"] },
  }),
  ...editors,
  // The program, and the list of editors.
  "packages/editor-server": {
    may: ["effect", "node:", "@zain/command", "@zain/core", "@zain/process", "@zain/tool-server"].concat(
      "@zain/editor-link",
      Object.keys(editors).map((folder) => folder.replace("packages", "@zain")),
    ),
  },
  // Use cases are tested over fakes of their services.
  ...Object.fromEntries(
    ["test", "testing"].map((part) => [
      `packages/editor-link/${part}/domain`,
      {
        may: ["effect", "@effect/vitest", "@zain/testkit"],
        unstable: ["effect"],
        own: ["src/domain", "src/application", "test/domain", "testing/domain"].map(
          (folder) => `packages/editor-link/${folder}`,
        ),
      },
    ]),
  ),
  "packages/cluster-client": {
    may: ["effect", "node:", "@effect/platform-node", "@effect/sql-pg", "@zain/core", "@zain/process"],
    unstable: ["effect"],
  },
  "packages/cluster-runner": {
    may: ["effect", "node:", "@effect/platform-node", "@zain/cluster-client", "@zain/core", "@zain/process"],
    unstable: ["effect"],
  },
  "packages/cluster-runner/src/command": {
    may: [
      ...["effect", "node:", "@effect/platform-node", "smol-toml"],
      ...["@zain/agent-list", "@zain/cluster-client", "@zain/command", "@zain/core", "@zain/process"],
    ],
    unstable: ["effect"],
  },
  // The programs of fakes load the module of the dialect that they are given.
  "contract-tests": {
    may: ["effect", "node:", "@zain/core", "@zain/process", "@zain/sdk-client", "vitest", "(a computed specifier)"],
  },
}

/** The rule of a file: the longest prefix of its path, or its package. */
export const placeOf = (file: string): string =>
  Object.keys(rules)
    .filter((place) => file.startsWith(`${place}/`))
    .sort((one, other) => other.length - one.length)[0] ?? file.slice(0, file.indexOf("/src/"))

/** The violations of one file, a line each. */
export const violations = (place: string, file: string, named: ReadonlyArray<string>): ReadonlyArray<string> => {
  const rule = rules[place]
  if (rule === undefined) return [`${file}: the folder ${place} has no rule. Give it one in scripts/Arrows.ts.`]
  return named.flatMap((specifier) => {
    if (isAllowed(place, file, rule, specifier)) return []
    return [`${file}: imports ${specifier}, against the arrow. ${place} may import ${rule.may.join(", ")} only.`]
  })
}

const isAllowed = (place: string, file: string, rule: Rule, specifier: string): boolean => {
  const { may, own, unstable: unstableOwn = [] } = rule
  if (/^\.\.?\//.test(specifier)) {
    const target = posix.join(posix.dirname(file), specifier)
    if (own !== undefined) return own.some((folder) => target.startsWith(`${folder}/`))
    return isOwn(place, target) || may.includes(placeOf(target))
  }
  const named = (name: string) => specifier === name || specifier.startsWith(`${name}/`)
  // The root of effect exports unstable modules too, and loads five times as slowly.
  const isUnstable = specifier === "effect" || /^effect\/[a-z]/.test(specifier) || unstable.some(named)
  if (isUnstable && !unstableOwn.some(named)) return false
  return isBuiltin(specifier) ? specifier.startsWith("node:") && may.includes("node:") : may.some(named)
}

/** A part of a package may import the rest; the rest may not import the part. */
const isOwn = (place: string, target: string): boolean => {
  const [whole, part] = place.split("/src/")
  return target.startsWith(`${whole}/src/`) && (part !== undefined || placeOf(target) === place)
}
