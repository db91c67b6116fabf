import { assert, describe, it } from "@effect/vitest"
import { Rubric, ScoreChart, ScoreText } from "@zain/loopsmith"
import fc from "fast-check"
import * as Balanced from "./Balanced.ts"
import { response } from "./Loops.ts"

const chart = (scores: ReadonlyArray<number>, target = 8) =>
  ScoreChart.svg(
    scores.map((score) => response(score)),
    { target },
  )

/** The y of an element's first point. */
const heights = (svg: string, name: string) => {
  const line = new RegExp(`<g class="${name}">\n?<polyline class="line" points="([^"]+)"`).exec(svg)?.[1] ?? ""
  return line.split(" ").map((point) => Number(point.split(",")[1]))
}

describe("ScoreChart.svg", () => {
  it("draws a line for the overall score and each criterion, the target, and the values", () => {
    const svg = chart([5.5, 6.9, 8.2])
    for (const name of ["overall", "completeness", "accuracy", "clarity", "usability"]) {
      const [first = 0, second = 0, third = 0] = heights(svg, name)
      assert.isTrue(first > second && second > third, `${name} rises`)
      assert.include(svg, `>${name}</text>`)
    }
    for (const value of ["5.5", "6.9", "8.2"]) assert.include(svg, `>${value}</text>`)
    assert.include(svg, ">target 8.0</text>")
  })

  it("scales its axis from 0 to 10, and draws the target at its score", () => {
    const svg = chart([8, 0, 10])
    const [y8, y0, y10] = heights(svg, "overall")
    for (const [score, y] of [
      [10, y10],
      [0, y0],
      [8, y8],
    ])
      assert.include(svg, `y1="${y}" y2="${y}"/><text x="38" y="${(y ?? 0) + 4}" text-anchor="end">${score}<`)
    assert.match(svg, new RegExp(`<line class="target" [^>]*y1="${y8}" y2="${y8}"`))
  })

  it("has a title and a description with every score for screen readers", () => {
    const svg = chart([5.5, 8.2])
    const label = /^<svg [^>]*role="img" aria-label="([^"]+)">/.exec(svg)?.[1]
    assert.match(
      label ?? "",
      /^Scores per iteration\. The target is 8\.0\. Iteration 1: 5\.5 \(completeness 5\.5, .*Iteration 2: 8\.2/,
    )
    assert.include(svg, "<title>Scores per iteration</title>")
    // A page may contain two charts.
    assert.notMatch(svg, /\sid=/)
  })

  it("has no script and no external resource, and supports dark mode", () => {
    const svg = chart([5, 9])
    assert.notMatch(svg, /<script|href=|url\(|@import|@font-face|\son\w+=|\sstyle=/)
    assert.deepStrictEqual(svg.match(/https?:[^"]*/g), ["http://www.w3.org/2000/svg"])
    assert.include(svg, "@media (prefers-color-scheme: dark)")
  })

  it("draws a single iteration as points in the middle, without lines", () => {
    const svg = chart([5.5])
    assert.notInclude(svg, "<polyline")
    assert.match(svg, /<g class="overall"><circle class="mark" cx="390" /)
  })

  it("prints a value below its mark when more marks are above and the axis is far enough away", () => {
    const place = (score: number, others: number) => {
      const rubric_scores = Rubric.map(() => others)
      const svg = ScoreChart.svg([response(5), { score, rubric_scores }], { target: 8 })
      const mark = Number(/<g class="overall">.*cx="698" cy="([\d.]+)"/.exec(svg)?.[1])
      const text = Number(
        new RegExp(`y="([\\d.]+)" text-anchor="middle">${ScoreText.score(score)}</text></g>`).exec(svg)?.[1],
      )
      return text - mark
    }
    assert.strictEqual(place(7, 7.5), 22)
    assert.strictEqual(place(7, 6.5), -12)
    assert.strictEqual(place(7, 8.2), -12)
    assert.strictEqual(place(0.5, 1), -12)
  })

  it("prints only some values, including the last, when there are many iterations", () => {
    const svg = chart(Array.from({ length: 60 }, (_, index) => index / 10))
    assert.isBelow([...svg.matchAll(/<text [^>]*>\d\.\d<\/text>/g)].length, 20)
    assert.include(svg, ">5.9</text>")
    assert.include(svg, ">60</text>")
  })

  it("is well-formed, deterministic and within its frame, for any scores", () => {
    const score = fc.double({ min: 0, max: 10, noNaN: true })
    const scores = fc.record({ completeness: score, accuracy: score, clarity: score, usability: score })
    const evaluations = fc.array(fc.record({ score, rubric_scores: scores }), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(evaluations, score, (evaluations, target) => {
        const svg = ScoreChart.svg(evaluations, { target })
        assert.isUndefined(Balanced.problemOf(svg))
        assert.strictEqual(svg, ScoreChart.svg(evaluations, { target }))
        assert.notMatch(svg, /NaN|Infinity|undefined|\d\.\d{3}|\de-/)
        const values = /<g class="overall">(?:<circle|<polyline).*<\/g>/.exec(svg)?.[0] ?? ""
        const places = [...values.matchAll(/<text x="([\d.]+)" y="([\d.]+)"/g)].map(([, x, y]) => [
          Number(x),
          Number(y),
        ])
        assert.lengthOf(places, evaluations.length)
        // Between the edge of the picture and the line of 0.
        for (const [x = 0, y = 0] of places) assert.isTrue(x > 48 && x < 732 && y > 11 && y < 316, `${x}, ${y}`)
      }),
      { numRuns: 500 },
    )
  })
})

describe("ScoreText", () => {
  it.each([
    [8, "8.0"],
    [0, "0.0"],
    [10, "10.0"],
    [8.2, "8.2"],
    [7.95, "7.95"],
    [7.996, "7.99"],
    [1.1, "1.1"],
    [0.005, "0.0"],
  ])("formats the score %d as %s", (score, text) => {
    assert.strictEqual(ScoreText.score(score), text)
  })

  it("never formats a score below the target as the target (LoopSmith 6)", () => {
    for (let tenths = 1; tenths <= 100; tenths += 1) {
      const target = tenths / 10
      assert.strictEqual(ScoreText.score(target), target.toFixed(1))
      assert.isBelow(Number(ScoreText.score(target - 0.0001)), target)
    }
  })

  it.each([
    [1.4, "+1.4"],
    [-0.25, "−0.25"],
    [0.5, "+0.5"],
    [0.49, "+0.49"],
    [0.499, "+0.49"],
    [-0.499, "−0.49"],
    [2.7, "+2.7"],
    [0.29, "+0.29"],
    [0, "±0.0"],
    [-0.001, "±0.0"],
  ])("formats the gain %d as %s", (gain, text) => {
    assert.strictEqual(ScoreText.gain(gain), text)
  })
})
