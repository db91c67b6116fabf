import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as ContractScript from "../src/ContractScript.ts"

const { decide, keys, prompt } = ContractScript

const nonce = fc.stringMatching(/^[A-Za-z0-9-]{1,12}$/)
const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.constantFrom("⟧", "⟦zain:hang⟧", "%E2%9F%A7", "%25", " a ", "\n"),
)
const unmarked = text.filter((noise) => !noise.includes("⟦"))
const directive: fc.Arbitrary<ContractScript.Directive> = fc.oneof(
  fc.record({ _tag: fc.constant("Say" as const), text }),
  fc.record({ _tag: fc.constant("Partial" as const), text }),
  fc.record({ _tag: fc.constant("Fail" as const), reason: text }),
  fc.record({ _tag: fc.constant("Limit" as const), seconds: fc.nat({ max: 999_999_999 }) }),
  fc.constantFrom<ContractScript.Directive>(
    { _tag: "Hang" },
    { _tag: "Exit" },
    { _tag: "Approve" },
    { _tag: "Ask", text: "?" },
  ),
)

describe("`decide`", () => {
  it("returns the action of a prompt, whatever text is wrapped around it", () => {
    fc.assert(
      fc.property(directive, fc.option(nonce, { nil: undefined }), unmarked, unmarked, (asked, name, before, after) => {
        expect(decide([`${before}${prompt(asked, name)}${after}`])).toEqual(asked)
      }),
    )
  })

  it("answers `recall` with the keys of the conversation's prompts, each once, in order", () => {
    fc.assert(
      fc.property(fc.uniqueArray(nonce, { minLength: 1 }), unmarked, (nonces, noise) => {
        const messages = nonces.flatMap((name) => [noise, prompt({ _tag: "Say", text: "x" }, name)])
        const action = decide([...messages, ...messages, prompt({ _tag: "Recall" }, "last-one-of-all")])
        expect(action).toEqual({ _tag: "Say", text: JSON.stringify([...nonces, "last-one-of-all"]) })
      }),
    )
  })

  it("returns `Say` with ok for a message without a marker, and for no message", () => {
    expect(decide([prompt({ _tag: "Hang" }), " "])).toEqual({ _tag: "Say", text: "ok" })
    expect(decide([])).toEqual({ _tag: "Say", text: "ok" })
  })

  it("uses the last of several markers", () => {
    const both = `${prompt({ _tag: "Hang" }, "a")}\n${prompt({ _tag: "Say", text: "b" }, "b")}`
    expect(decide([both])).toEqual({ _tag: "Say", text: "b" })
    expect(keys([both])).toEqual(["a", "b"])
  })

  it("returns events as pieces that joined give the answer", () => {
    const action = decide([prompt({ _tag: "Events", count: 3, text: "p" })])
    expect(action).toEqual({ _tag: "Events", pieces: ["p1", " p2", " p3"], text: "p1 p2 p3" })
  })

  it("returns `Fail` for an unknown marker", () => {
    expect(decide(["⟦zain:dance⟧"])).toEqual({ _tag: "Fail", reason: "no such directive: dance" })
    expect(decide(["⟦zain:events many⟧"])).toMatchObject({ _tag: "Fail" })
    expect(decide(["⟦zain:limit soon⟧"])).toMatchObject({ _tag: "Fail" })
  })

  it("returns `Fail` for a prompt that is missing in the call", () => {
    const { prompt } = JSON.parse("{}") as { prompt: string }
    expect(decide([prompt])).toMatchObject({
      _tag: "Fail",
      reason: expect.stringContaining("the names of the tool's arguments"),
    })
  })
})

it("the key of a prompt without a nonce is its text", () => {
  expect(keys(["⟦zain:say hello⟧", "⟦zain:recall⟧"])).toEqual(["say hello", "recall"])
})

it("`decided` starts with the decision, and appends the detail", () => {
  expect(ContractScript.decided(true)).toBe("approved")
  expect(ContractScript.decided(false, "not today")).toBe("declined: not today")
})
