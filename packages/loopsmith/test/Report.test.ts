/** The content of the report, and its escaping. */
import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { type LoopEvent, Report, Rubric } from "@zain/loopsmith"
import fc from "fast-check"
import * as Balanced from "./Balanced.ts"
import { response } from "./Loops.ts"

const metadata = (iteration: number, model_used = "codex/gpt") => ({ iteration, evaluation_time: 12_345, model_used })

const result: LoopEvent.LoopResult = {
  stop: "reached-target",
  iterations: [
    { iteration: 1, evaluation: response(5.5, { metadata: metadata(1) }), rewriteTime: 65_000 },
    { iteration: 2, evaluation: response(8.2, { metadata: metadata(2), suggestions: [] }), gain: 2.7 },
  ],
  best: 2,
  content: "the document",
  score: 8.2,
}

const nasty = `<script>alert(1)</script> "quoted" & 'single' ]]> <!-- --> </li></style> \u202Eright \u200B \0 \x1b[31m \ud800`
const escaped = `&lt;script&gt;alert(1)&lt;/script&gt; &quot;quoted&quot; &amp; &#39;single&#39; ]]&gt; &lt;!-- --&gt; &lt;/li&gt;&lt;/style&gt; \u202Eright \u200B \uFFFD \uFFFD[31m \uFFFD`

describe("Report.html", () => {
  it("shows the outcome, the chart, the scores, the suggestions, the models and the times", () => {
    const startedAt = new Date(Date.UTC(2026, 0, 2, 3, 4, 5, 678))
    const page = Report.html({ title: "guide.md", result, rubric: Rubric.defaults, startedAt, took: 125_000 })
    const text = page.replace(/<style>[^<]*<\/style>/g, "").replace(/<[^>]+>/g, "|")
    for (const part of [
      "|guide.md|",
      "The target was reached.",
      "The score began at 5.5. The best of 2 iterations is number 2 with 8.2; 8.0 was needed.",
      "|Judged by||codex/gpt|",
      "|Judging took||24.7 s|",
      "|Rewriting took||1 min 5 s|",
      "|All of it took||2 min 5 s|",
      "|Started||2026-01-02 03:04:05 UTC|",
      "|completeness (30 %)|",
      "|2 (best)||8.2||+2.7||8.2||8.2||8.2||8.2||12.3 s||",
      "|Better than 5.5.|",
      "The judge had none.",
    ])
      assert.include(text, part)
    assert.include(page, '<svg xmlns="http://www.w3.org/2000/svg" class="score-chart"')
    assert.isUndefined(Balanced.problemOf(page))
  })

  it.each([
    ["out-of-iterations", "The iterations ran out"],
    ["no-more-gain", "stopped rising"],
    ["cancelled", "The loop was cancelled"],
    ["failed", "The loop failed"],
  ] as const)("states why the loop ended: %s", (stop, words) => {
    const page = Report.html({ title: "t", result: { ...result, stop }, problem: "No <judge>." })
    assert.include(page, words)
    assert.include(page, "No &lt;judge&gt;.")
  })

  it("shows the target in the outcome, in the facts and in the chart", () => {
    const page = Report.html({ title: "t", result, target: 9.5 })
    for (const part of ["9.5 was needed.", '<dt>Target</dt><dd dir="auto">9.5</dd>', ">target 9.5</text>"])
      assert.include(page, part)
    assert.notInclude(page, "8.0")
  })

  it("omits an invalid date", () => {
    const page = Report.html({ title: "t", result, startedAt: new Date(Number.NaN) })
    assert.notInclude(page, "Started")
    assert.isUndefined(Balanced.problemOf(page))
  })

  it("escapes all text of agents and documents", () => {
    const evaluation = response(5, { suggestions: [nasty], metadata: metadata(1, nasty) })
    const page = Report.html({
      title: nasty,
      result: { ...result, iterations: [{ iteration: 1, evaluation }] },
      problem: nasty,
    })
    assert.strictEqual(page.split(escaped).length - 1, 5)
    assert.notInclude(page, "<script")
    assert.isUndefined(Balanced.problemOf(page))
  })

  it("is well-formed for any text", () => {
    const text = fc.string({
      unit: fc.constantFrom("<", ">", "&", '"', "'", "a", "]]>", "-->", "\0", "\ud800", "é", "\n"),
    })
    fc.assert(
      fc.property(text, text, (title, suggestion) => {
        const evaluation = response(5, { suggestions: [suggestion] })
        const page = Report.html({ title, result: { ...result, iterations: [{ iteration: 1, evaluation }] } })
        assert.isUndefined(Balanced.problemOf(page))
        assert.isTrue(page.isWellFormed())
      }),
      { numRuns: 300 },
    )
  })

  it("has a policy that allows its own two styles and nothing else", () => {
    const page = Report.html({ title: "t", result })
    const styles = [...page.matchAll(/<style>([^<]*)<\/style>/g)].map(([, style = ""]) => style)
    const hashes = styles.map((style) => `'sha256-${createHash("sha256").update(style).digest("base64")}'`)
    const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(page)?.[1]
    assert.lengthOf(styles, 2)
    assert.strictEqual(policy, `default-src 'none'; style-src ${hashes.join(" ")}; base-uri 'none'; form-action 'none'`)
    assert.notMatch(page, /<script|\ssrc=|\shref=|url\(|@import|\son\w+=|\sstyle=/)
  })

  it("is checked by a helper that recognizes malformed markup", () => {
    for (const broken of ["<p>", "<p></b>", "<a b=c></a>", "a < b", "<p>a & b</p>", '<a b="<"></a>'])
      assert.isString(Balanced.problemOf(broken), broken)
  })
})
