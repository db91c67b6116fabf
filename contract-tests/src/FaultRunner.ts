/**
 * The fault suite as tests of vitest. Only this module and `VitestRunner` import vitest.
 */
import type { McpTransport } from "@zain/core/McpTransport"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as McpClientFaultSuite from "./McpClientFaultSuite.ts"

/** Milliseconds; longer than the suite's own limits on a busy machine, so that it ends only what hangs. */
const limit = 300_000

/** Limits the run to some faults; by default all run. */
export interface Options {
  /** The ids of the faults to try, such as `McpClientFaultSuite.ofDialect`; all by default. */
  readonly only?: ReadonlyArray<string>
}

/**
 * Registers every fault of a transport as a test of vitest. Call it at the top of a test file, and give each file one
 * transport: the suite compares the child processes, sockets and timers of the whole process before and after each
 * fault.
 *
 * @param subject the client under test
 * @param transport the transport of all tests in this file, one of the subject's `transports`
 * @param options `only`: the ids of the faults that run; all by default
 *
 * @example
 * ```ts
 * import type { McpClientFaultSuite } from "@zain/contract-tests"
 * import { run } from "@zain/contract-tests/FaultRunner"
 *
 * export const hold = (mine: McpClientFaultSuite.FaultSubject) => run(mine, "stdio")
 * ```
 */
export const run = (
  subject: McpClientFaultSuite.FaultSubject,
  transport: McpTransport,
  { only }: Options = {},
): void => {
  describe(`faults: ${subject.name} over ${transport}`, { concurrent: false }, () => {
    const scope = Scope.makeUnsafe()
    let bench: Effect.Success<ReturnType<typeof McpClientFaultSuite.bench>> | undefined
    beforeAll(async () => {
      bench = await Effect.runPromise(Scope.provide(McpClientFaultSuite.bench(subject, transport), scope))
    }, limit)
    afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)), limit)

    it("the subject MUST be sound: `answer` holds `answerText`, and `cannot` names faults with reasons", () => {
      expect(McpClientFaultSuite.problems(subject)).toEqual([])
    })
    for (const fault of McpClientFaultSuite.faultsOf(transport)) {
      if (only?.includes(fault.id) === false) continue
      const promises = fault.promises.join(", ")
      it(`${fault.id}: a server that ${fault.title} (promises ${promises})`, { timeout: limit }, async (context) => {
        if (bench === undefined) throw new Error("There is no bench.")
        const { problems, status } = await Effect.runPromise(bench.run(fault))
        if (status === "excused") {
          // The default reporter does not print the note of a skipped test.
          process.stdout.write(`excused ${subject.name}, ${fault.id}: ${problems.join(" ")}\n`)
          context.skip(problems.join(" "))
        }
        if (status === "failed") throw new Error(problems.join("\n"))
      })
    }
  })
}
