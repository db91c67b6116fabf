/** Compares docs/reference/errors.md with the library: each message, delivery and diagnostic of the page is provoked. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as McpError from "@zain/core/McpError"
import { test } from "@zain/testkit/Test"
import * as AgentErrors from "./errors-page/AgentErrors.ts"
import * as Http from "./errors-page/Http.ts"
import * as Page from "./errors-page/Page.ts"
import * as Port from "./errors-page/Port.ts"
import * as Stdio from "./errors-page/Stdio.ts"

const reasons: Readonly<Record<McpError.McpError["_tag"], ReadonlyArray<string>>> = {
  ConnectionUnavailable: McpError.ConnectionUnavailableReason.literals,
  SessionClosed: McpError.SessionClosedReason.literals,
  SessionNotFound: McpError.SessionNotFoundReason.literals,
  InvalidRequest: McpError.InvalidRequestReason.literals,
}

const page = Page.read(
  readFileSync(new URL("../../../docs/reference/errors.md", import.meta.url), "utf8"),
  new Set(Object.keys(reasons)),
)

/** The provoked errors by their headings. */
const seen = new Map<string, Array<McpError.McpError>>()
const sectionOf = ({ _tag, reason }: McpError.McpError) =>
  page.sections.find((section) => section.tag === _tag && section.reason === reason)

describe("the headings of docs/reference/errors.md", () => {
  it("are the four tags, each once", () => {
    assert.deepStrictEqual(page.tags, Object.keys(reasons))
  })

  it("are the reasons of each tag, each once", () => {
    const headings = page.sections.map(({ reason, tag }) => `${tag}: ${reason}`)
    const due = Object.entries(reasons).flatMap(([tag, names]) => names.map((name) => `${tag}: ${name}`))
    assert.deepStrictEqual(headings.toSorted(), due.toSorted())
  })
})

describe("docs/reference/errors.md shows, under its reason, the message of", () => {
  for (const { provocations } of [Port, Stdio, Http, AgentErrors]) {
    for (const [title, provoked] of Object.entries(provocations)) {
      test.live(title, function* () {
        const error = yield* provoked
        const key = `${error._tag}: ${error.reason}`
        seen.set(key, [...(seen.get(key) ?? []), error])
        assert.include(sectionOf(error)?.messages ?? [], Page.example(error.message), `under ${key}`)
      })
    }
  }
})

const given = ({ diagnostics = {} }: McpError.McpError) => Object.keys(diagnostics)

describe.each(page.sections)("docs/reference/errors.md, at $tag, $reason,", ({ messages, reason, says, tag }) => {
  const errors = () => seen.get(`${tag}: ${reason}`) ?? []
  const sorted = (values: ReadonlyArray<string>) => [...new Set(values)].toSorted()

  it("has a cause and a fix", () => {
    for (const word of ["Cause", "Fix"]) assert.isDefined(says(word), `There is no line "- **${word}**: …".`)
    assert.isUndefined(says("Nothing"))
  })

  it("shows no message that was not provoked", () => {
    const printed = errors().map(({ message }) => Page.example(message))
    for (const message of messages) assert.include(printed, message)
  })

  it("lists the delivery and the diagnostics of the provoked errors", () => {
    assert.deepStrictEqual(sorted(says("Delivery") ?? []), sorted(errors().map(({ delivery }) => delivery)))
    assert.deepStrictEqual(sorted(says("Diagnostics") ?? []), sorted(errors().flatMap(given)))
  })
})
