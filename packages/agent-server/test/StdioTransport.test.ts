/**
 * One client's pipes, without a process behind them.
 */
import { PassThrough, Writable } from "node:stream"
import { assert, describe, it } from "@effect/vitest"
import * as StdioTransport from "@zain/tool-server/StdioTransport"

const message = { jsonrpc: "2.0", method: "notifications/message" } as const

describe("`StdioTransport`", () => {
  it("writes the last messages when it closes, and closes once", async () => {
    const output = new PassThrough()
    const transport = StdioTransport.make(new PassThrough(), output)
    let closed = 0
    transport.onclose = () => closed++
    await transport.start()
    await transport.send(message)
    await transport.close()
    await transport.close()
    assert.deepStrictEqual([String(output.read()), closed], [`${JSON.stringify(message)}\n`, 1])
  })

  it("has room while its client reads, and again after it has caught up (promise 27)", async () => {
    const output = new PassThrough()
    const transport = StdioTransport.make(new PassThrough(), output)
    await transport.start()
    assert.isUndefined(transport.room?.(1))
    const params = { data: "x".repeat(256 * 1024) }
    for (let said = 0; said < 2; said++) {
      await transport.send({ ...message, params })
      await new Promise(setImmediate)
    }
    const caughtUp = transport.room?.(1)
    assert.isDefined(caughtUp)
    output.resume()
    await caughtUp
    assert.isUndefined(transport.room?.(1))
  })

  it("closes once when too much is unread (promise 14)", async () => {
    const output = new Writable({ write: () => {} })
    const transport = StdioTransport.make(new PassThrough(), output)
    let closed = 0
    transport.onclose = () => closed++
    await transport.start()
    output.write(Buffer.alloc(64 * 1024 * 1024 + 1))
    void transport.send(message)
    void transport.close()
    await new Promise(setImmediate)
    assert.strictEqual(closed, 1)
  })
})
