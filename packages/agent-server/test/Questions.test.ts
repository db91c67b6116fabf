/** Questions of agents and forms of MCP servers: what clients are asked, and what their answers become. */
import { assert, describe, it } from "@effect/vitest"
import type { McpApprovalReply } from "@zain/core/McpApproval"
import { test } from "@zain/testkit/Test"
import * as AgentQuestions from "../src/AgentQuestions.ts"
import { open } from "../testing/Clients.ts"

const [red, blue] = [{ label: "Red", description: "The warm one." }, { label: "Blue" }]
const answers = (given: Readonly<Record<string, ReadonlyArray<string>>>): McpApprovalReply => ({
  _tag: "Answer",
  answers: given,
})

describe("questions", () => {
  it("have bounded texts, and ids that are safe as keys and differ", () => {
    const draft = {
      text: "x".repeat(5_000),
      header: "y".repeat(300),
      options: [{ ...red, description: "z".repeat(2_000) }],
    }
    const ids = ["a", "a", "__proto__", "b c", "x".repeat(65)]
    const request = AgentQuestions.make(
      "Codex",
      ids.map((id) => ({ ...draft, id })),
    )
    assert.deepStrictEqual(
      request?.questions.map(({ id }) => id),
      ["a", "2", "3", "4", "5"],
    )
    const [{ header, options, text } = { options: [], text: "" }] = request?.questions ?? []
    assert.deepStrictEqual(
      [text, header, options[0]?.description].map((one) => one?.length),
      [4_096, 256, 1_024],
    )
    assert.isAtMost(request?.message.length ?? 0, 1_000)
  })

  it("that an answer could not name exactly, or that are too many, cannot be asked", () => {
    const of = (...options: ReadonlyArray<{ readonly label: string }>) =>
      AgentQuestions.make("Codex", [{ text: "?", options }])
    assert.isUndefined(AgentQuestions.make("Codex", []))
    assert.isUndefined(AgentQuestions.make("Codex", Array(17).fill({ text: "?", options: [] })))
    for (const labels of [[""], ["x".repeat(257)], Array(65).fill("x")]) {
      assert.isUndefined(of(...labels.map((label: string) => ({ label }))))
    }
  })
})

describe("a form of an MCP server", () => {
  const schema = {
    type: "object",
    properties: {
      name: { type: "string", title: "Name", description: "Whose?" },
      size: { type: "string", enum: ["s", "l"], enumNames: ["Small", "Large"] },
      kind: { type: "string", oneOf: [{ const: "a", title: "Apple" }, { const: "b" }] },
      tags: { type: "array", items: { type: "string", enum: ["x", "y"] } },
      count: { type: "integer" },
      ratio: { type: "number" },
      sure: { type: "boolean" },
      pin: { type: "string", format: "password" },
    },
    required: ["name"],
  }
  const form = AgentQuestions.form("shop", "Your order?", schema)

  it("is asked field by field", () => {
    assert.strictEqual(form?.request.message, 'The MCP server "shop" asks: Your order?')
    const open = { options: [] }
    const closed = (...labels: ReadonlyArray<string>) => ({
      options: labels.map((label) => ({ label })),
      isClosed: true,
    })
    const plain = (id: string) => ({ id, header: id, text: id })
    assert.deepStrictEqual(form?.request.questions, [
      { id: "name", header: "Name", text: "Whose?", ...open },
      { ...plain("size"), ...closed("Small", "Large") },
      { ...plain("kind"), ...closed("Apple", "b") },
      { ...plain("tags"), ...closed("x", "y"), isMultiple: true },
      { ...plain("count"), ...open },
      { ...plain("ratio"), ...open },
      { ...plain("sure"), ...closed("Yes", "No") },
      { ...plain("pin"), ...open, isSecret: true },
    ] as never)
  })

  it("receives values of its types, by labels or by values", () => {
    const given = { name: ["Ann"], size: ["Large"], kind: ["a"], tags: ["x", "y"], count: ["3"], ratio: ["0.5"] }
    assert.deepStrictEqual(form?.answer(answers({ ...given, sure: ["No"] })), {
      action: "accept",
      content: { name: "Ann", size: "l", kind: "a", tags: ["x", "y"], count: 3, ratio: 0.5, sure: false },
    })
  })

  const wrong: ReadonlyArray<readonly [what: string, given: Readonly<Record<string, ReadonlyArray<string>>>]> = [
    ["misses a required field", { size: ["Large"] }],
    ["is none of the choices", { name: ["Ann"], size: ["Medium"] }],
    ["is two choices for one", { name: ["Ann"], size: ["Small", "Large"] }],
    ["is no number", { name: ["Ann"], count: ["many"] }],
    ["is no whole number", { name: ["Ann"], count: ["1.5"] }],
    ["is empty for a number", { name: ["Ann"], ratio: [" "] }],
    ["is several texts for one", { name: ["Ann", "Bob"] }],
  ]
  for (const [what, given] of wrong) {
    it(`is declined if an answer ${what}`, () => {
      assert.deepStrictEqual(form?.answer(answers(given)), { action: "decline" })
    })
  }

  it("is declined where the questions are, or an approval is no answer", () => {
    const decisions: ReadonlyArray<McpApprovalReply> = [{ _tag: "Approve" }, { _tag: "Decline", reason: "No." }]
    for (const decision of decisions) assert.deepStrictEqual(form?.answer(decision), { action: "decline" })
  })

  it("without fields asks for consent", () => {
    const consent = AgentQuestions.form("shop", "Really?", { type: "object", properties: {} })
    const [{ id, text } = { id: "", text: "" }] = consent?.request.questions ?? []
    assert.strictEqual(text, "Really?")
    const said = ["Accept", "Decline"].map((label) => consent?.answer(answers({ [id]: [label] })))
    assert.deepStrictEqual(said, [{ action: "accept", content: {} }, { action: "decline" }])
  })

  it("with a field of another type cannot be asked", () => {
    for (const field of [{ type: "object" }, { type: "array" }, "text", { enum: [1] }]) {
      assert.isUndefined(AgentQuestions.form("shop", "?", { type: "object", properties: { field } }))
    }
  })
})

describe("a client with elicitation", () => {
  const questions = [
    { id: "colour", header: "Colour", text: "Which colour?", options: [red, blue] },
    { id: "tags", text: "Which tags?", options: [{ label: "x" }, { label: "y" }], isMultiple: true, isClosed: true },
  ]
  const request = { kind: "question", message: "The agent asks.", questions }
  const prompt = `request ${JSON.stringify(request)}`

  test("receives questions as a form with the options, and answers by them or in own words", function* () {
    const content = { colour: "Red", "colour.other": "or green", tags: ["x", "y"], unknown: "ignored" }
    const { client } = yield* open({
      capabilities: { elicitation: {} },
      answer: () => ({ action: "accept", content }),
    })
    const { structuredContent } = yield* client.call("memory", { prompt })
    const { _meta, message, requestedSchema } = client.asked[0]?.params ?? {}
    assert.deepInclude(_meta, { "zain/approval": request })
    assert.strictEqual(
      message,
      [
        "The agent asks.",
        ...["Question: Which colour?", "Option: Red: The warm one.", "Option: Blue"],
        ...["Question: Which tags?", "Option: x", "Option: y"],
      ].join("\n"),
    )
    assert.deepStrictEqual(requestedSchema, {
      type: "object",
      properties: {
        colour: { title: "Colour", description: "Which colour?", type: "string", enum: ["Red", "Blue"] },
        "colour.other": { type: "string", title: "Other", description: "In own words: Which colour?" },
        tags: { description: "Which tags?", type: "array", items: { type: "string", enum: ["x", "y"] } },
      },
    })
    const { content: received } = structuredContent as { readonly content: string }
    const expected = { _tag: "Answer", answers: { colour: ["Red", "or green"], tags: ["x", "y"] } }
    assert.deepStrictEqual(JSON.parse(received), expected)
  })

  test("other than Zain's is not asked for secrets", function* () {
    const { client } = yield* open({ capabilities: { elicitation: {} }, answer: () => ({ action: "accept" }) })
    const secret = { ...request, questions: [{ id: "token", text: "Which token?", options: [], isSecret: true }] }
    const { structuredContent } = yield* client.call("memory", { prompt: `request ${JSON.stringify(secret)}` })
    assert.lengthOf(client.asked, 0)
    assert.include(JSON.stringify(structuredContent), "Questions cannot be answered here.")
  })

  const without = ["accept", "cancel", "decline"] as const
  for (const action of without) {
    test(`that answers ${action} without content dismisses the questions`, function* () {
      const { client } = yield* open({ capabilities: { elicitation: {} }, answer: () => ({ action }) })
      const { structuredContent } = yield* client.call("memory", { prompt })
      assert.strictEqual(JSON.parse((structuredContent as { readonly content: string }).content)._tag, "Decline")
    })
  }
})
