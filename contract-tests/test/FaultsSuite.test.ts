import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { httpBehaviours, stdioBehaviours } from "../src/faults/peer/Everything.ts"
import * as McpClientFaultSuite from "../src/McpClientFaultSuite.ts"
import { parrot } from "./faults/Parrot.ts"

const { faults, faultsOf } = McpClientFaultSuite
const peer = new URL("../src/faults/peer/", import.meta.url)

describe("every fault", () => {
  it("has an id of its own", () => {
    expect(new Set(faults.map(({ id }) => id)).size).toBe(faults.length)
  })

  it.each(faults)("$id cites promises that exist, and says what its server does", ({ promises, title }) => {
    expect(promises.length).toBeGreaterThan(0)
    for (const promise of promises) expect(promise >= 1 && promise <= 24).toBe(true)
    expect(title).toMatch(/^[a-z].*[^.]$/u)
  })

  it("is one that the peer has, on the transports where it exists", () => {
    for (const { id } of faultsOf("stdio")) expect(Object.keys(stdioBehaviours)).toContain(id)
    for (const transport of ["streamable-http", "sse"] as const) {
      for (const { id } of faultsOf(transport)) expect(Object.keys(httpBehaviours)).toContain(id)
    }
  })

  it("of the peer is tried", () => {
    const known = new Set([...faults.map(({ id }) => id), "sibling"])
    expect([...Object.keys(stdioBehaviours), ...Object.keys(httpBehaviours)].filter((id) => !known.has(id))).toEqual([])
  })

  it("that ends by a limit sets that limit, so that no run waits for the usual one", () => {
    for (const { endsBy, id, limits } of faults) {
      if (endsBy !== undefined) expect(limits?.[endsBy], id).toBeLessThanOrEqual(1_000)
    }
  })
})

it("the misbehaving peer's program needs nothing but Node", () => {
  for (const file of readdirSync(peer)) {
    const imports = readFileSync(new URL(file, peer), "utf8").matchAll(
      /^(?:import|export) (?!type\b)[^;]*?from "([^"]+)"|import\("([^"]+)"\)/gmu,
    )
    for (const [, named, dynamic] of imports) expect(named ?? dynamic, file).toMatch(/^(node:|\.\/)/u)
  }
})

describe("a subject that is unsound is told so", () => {
  const { problems } = McpClientFaultSuite

  it("when its answer says nothing", () => {
    expect(problems({ ...parrot, answer: { content: [] } })).toEqual(["`answer` does not hold answerText."])
  })

  it("when an excuse excuses nothing, or gives no reason", () => {
    expect(problems({ ...parrot, cannot: { "no-such-fault": "too lazy", "call-500": " " } })).toEqual([
      "cannot.no-such-fault excuses nothing: there is no such fault. Remove it.",
      "cannot.call-500 gives no reason.",
    ])
  })
})
