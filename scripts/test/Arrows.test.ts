import { assert, describe, it } from "@effect/vitest"
import * as Arrows from "../Arrows.ts"
import { specifiers } from "../Imports.ts"

const { placeOf } = Arrows
const violations = (place: string, file: string, source: string) =>
  Arrows.violations(place, file, specifiers(file, source))
const core = (source: string) => violations("packages/core", "packages/core/src/X.ts", source)

describe("the arrows between packages (docs/internals/architecture.md#layers)", () => {
  it.each([
    'import * as Effect from "effect/Effect"',
    'import { McpError } from "./McpError.ts"',
    'import { queue } from "./inner/../EventHub.ts"',
  ])("core may import %s", (source) => assert.deepStrictEqual(core(source), []))

  it.each([
    'import { Client } from "@modelcontextprotocol/sdk/client/index.js"',
    'import type { Client } from "@modelcontextprotocol/sdk/client/index.js"',
    'export type Client = import("@modelcontextprotocol/sdk/client/index.js").Client',
    'export const load = () => import("@modelcontextprotocol/sdk/client/index.js")',
    'export * from "@zain/sdk-client"',
    'export { make } from "@zain/contract-tests/FakePeer"',
    'import { make } from "../../sdk-client/src/ToolCallChannel.ts"',
    'import { make } from "../../sdk-client/dist/index.js"',
    'import { z } from "../node_modules/zod/index.js"',
    'import { FileSystem } from "effect"',
    'import * as Graph from "effect/Graph"',
    'import { spawn } from "node:child_process"',
    'import { HttpClient } from "effect/http"',
    'import "zod"',
    'new URL("../../process/src/Guard.ts", import.meta.url)',
    "export const load = (name: string) => import(name)",
    "this is no TypeScript",
  ])("core may not import %s", (source) => assert.lengthOf(core(source), 1))

  it("no client imports the MCP SDK, and no adapter imports the suite", () => {
    const sdk = 'import { Client } from "@modelcontextprotocol/sdk/client/index.js"'
    const suite = 'import { cases } from "@zain/contract-tests"'
    for (const place of ["packages/codex-client", "packages/claude-code-client", "packages/sdk-client"]) {
      assert.lengthOf(violations(place, `${place}/src/X.ts`, sdk), 1)
      assert.lengthOf(violations(place, `${place}/src/X.ts`, suite), 1)
    }
  })

  it("a part of a package imports the rest of it, and the rest does not import the part", () => {
    const of = (file: string, source: string) => violations(placeOf(file), file, source)
    const command = "packages/loopsmith/src/command/Main.ts"
    const library = "packages/loopsmith/src/Evaluator.ts"
    assert.deepStrictEqual(of(command, 'import { make } from "../Evaluator.ts"'), [])
    assert.deepStrictEqual(of(command, 'import { agents } from "@zain/agent-list"'), [])
    assert.lengthOf(of(library, 'import { run } from "./command/Main.ts"'), 1)
    assert.lengthOf(of(library, 'import { make } from "@zain/codex-client"'), 1)
    assert.lengthOf(of(command, 'import { make } from "../../../core/src/McpClient.ts"'), 1)
  })

  it("only a program may import the unstable modules that its rule names", () => {
    const source = 'import * as Command from "effect/cli/Command"'
    assert.deepStrictEqual(violations("packages/cli", "packages/cli/src/X.ts", source), [])
    assert.lengthOf(violations("packages/cli", "packages/cli/src/X.ts", 'import { sql } from "effect/sql"'), 1)
    assert.lengthOf(violations("packages/sdk-client", "packages/sdk-client/src/X.ts", source), 1)
  })

  it("the tests of the editor server's use cases use no infrastructure (editors 000.20)", () => {
    const file = "packages/editor-link/test/domain/X.test.ts"
    const of = (source: string) => violations(placeOf(file), file, source)
    assert.deepStrictEqual(
      of('import { Effect } from "effect"\nimport * as R from "../../src/application/use-cases/RefreshTools.ts"'),
      [],
    )
    assert.lengthOf(of('import { make } from "../../src/infrastructure/services/EditorSession.ts"'), 1)
    assert.lengthOf(of('import { make } from "../services/LiveServices.ts"'), 1)
    assert.lengthOf(of('import { connect } from "node:net"'), 1)
  })

  it("a package without a rule is rejected", () => {
    assert.lengthOf(violations("packages/new", "packages/new/src/X.ts", ""), 1)
  })
})
