import { assert, describe, it } from "@effect/vitest"
import * as OptionTable from "@zain/command/OptionTable"
import * as OptionValue from "@zain/command/OptionValue"
import * as ServeOptions from "@zain/tool-server/ServeOptions"
import { Duration, Result } from "effect"

describe("the options of a server that listens", () => {
  it("reject --session-idle for ws, since a WebSocket lasts as long as its client is connected (promise 29)", () => {
    const read = (kind: ServeOptions.Kind) =>
      Result.flatMap(OptionTable.parse(["--session-idle", "5m"], ServeOptions.table()), (parsed) =>
        ServeOptions.of(kind, parsed as Exclude<typeof parsed, string>, "ws and http"),
      )
    const refused = read("ws")
    assert.match(Result.isFailure(refused) ? refused.failure : "", /^--session-idle is not for ws: .*\.$/)
    assert.deepInclude(Result.getOrThrow(read("http")), { sessionIdle: Duration.minutes(5) })
    assert.match(OptionTable.help(ServeOptions.table()), /--session-idle TIME +how long an HTTP session/)
  })
})

describe("a duration", () => {
  it.each([
    ["4s", 4_000],
    ["250ms", 250],
    ["1.5h", 5_400_000],
    ["1h 30m", 5_400_000],
    ["1h30m", 5_400_000],
    ["10 seconds", 10_000],
    ["2 minutes", 120_000],
  ])("is read from %s", (given, millis) => {
    assert.strictEqual(Duration.toMillis(Result.getOrThrow(OptionValue.duration("--timeout", given))), millis)
  })

  it.each(["", " ", "5", "0s", "-5s", "s", "4x", "4 s 5", "soon", "4s later"])("is not read from %j", (given) => {
    const said = `--timeout takes a duration such as 30s, 10m or "5 minutes", not ${JSON.stringify(given)}.`
    assert.deepStrictEqual(OptionValue.duration("--timeout", given), Result.fail(said))
  })
})
