/**
 * Matches the expressions of an approval policy's rules. Agents write the text that is matched, so slow expressions and
 * line breaks are attacks.
 *
 * @see docs/decisions/0015-approvals.md
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"

/**
 * - `path`: the path of the expression in the rules
 * - `isWhole`: it must match the whole text, and a line break only where it names one; otherwise it may match anywhere
 */
export interface Wanted {
  readonly path: string
  readonly expression: RegExp
  readonly isWhole: boolean
}

/** How long all expressions together may take for one request, in milliseconds of CPU time. */
export const limit = 50

const lineBreak = "[\\n\\r\\u2028\\u2029]"
const lineBreaks: ReadonlyArray<number> = [0x0a, 0x0d, 0x20_28, 0x20_29]

/**
 * Prepares expressions: anchored where they match the whole text, and without `lastIndex`. Fails with one sentence for
 * an expression that can take exponential time. Imports its libraries on first use.
 */
export const prepare = (
  wanted: ReadonlyArray<Wanted>,
): Effect.Effect<Result.Result<ReadonlyMap<RegExp, RegExp>, string>> =>
  Effect.promise(async () => {
    const [{ analyse }, syntax] = await Promise.all([import("scslre"), import("@eslint-community/regexpp")])
    const prepared = new Map<RegExp, RegExp>()
    for (const { expression, isWhole, path } of wanted) {
      const { flags, source } = expression
      const read = (text: string) => new RegExp(text, flags.replace(isWhole ? /[gmy]/g : /[gy]/g, ""))
      const anchored = isWhole ? read(`^(?:${source})$`) : read(source)
      const slow = Result.getOrElse(
        Result.try(() => analyse(anchored).reports.find(({ exponential }) => exponential)),
        () => undefined,
      )
      if (slow !== undefined) {
        return Result.fail(
          `\`${path}\` can take exponential time to match. Write it without nested quantifiers such as (a+)+`,
        )
      }
      prepared.set(expression, isWhole ? read(`^(?:${onOneLine(source, flags, syntax)})$`) : anchored)
    }
    return Result.succeed(prepared)
  })

/**
 * The same expression, in which a class of characters matches a line break only if it names one. Negative assertions
 * stay unchanged: if they matched less, the expression would match more.
 */
const onOneLine = (
  source: string,
  flags: string,
  { RegExpParser, visitRegExpAST }: typeof import("@eslint-community/regexpp"),
): string => {
  const places: Array<{ readonly start: number; readonly end: number }> = []
  const unicode = { unicode: flags.includes("u"), unicodeSets: flags.includes("v") }
  let negations = 0
  const mark = (node: { readonly start: number; readonly end: number; readonly parent: { readonly type: string } }) => {
    if (negations === 0 && !node.parent.type.includes("Class")) places.push(node)
  }
  const isNegation = (node: object) => "negate" in node && node.negate === true && "alternatives" in node
  visitRegExpAST(new RegExpParser().parsePattern(source, 0, source.length, unicode), {
    onAssertionEnter: (node) => void (isNegation(node) && negations++),
    onAssertionLeave: (node) => void (isNegation(node) && negations--),
    onCharacterSetEnter: mark,
    onCharacterClassEnter: (node) => {
      const isNamed = node.elements.some((part) => part.type === "Character" && lineBreaks.includes(part.value))
      if (node.negate || !isNamed) mark(node)
    },
    onExpressionCharacterClassEnter: mark,
  })
  return places.reduceRight(
    (text, { end, start }) => `${text.slice(0, start)}(?:(?!${lineBreak})${text.slice(start, end)})${text.slice(end)}`,
    source,
  )
}

/** At most two threads: each costs about 10 MiB. */
const threads = Semaphore.makeUnsafe(2)

/**
 * Whether each expression matches its text; `undefined` if that takes longer than the limit. Runs in a worker thread,
 * as only its end can stop a match that has begun.
 */
export const test = (
  pairs: ReadonlyArray<readonly [expression: RegExp, text: string]>,
): Effect.Effect<ReadonlyArray<boolean> | undefined> => threads.withPermits(1)(matched(pairs))

const matched = (pairs: Parameters<typeof test>[0]) =>
  Effect.acquireUseRelease(
    Effect.promise(async () => {
      const { Worker } = await import("node:worker_threads")
      return new Worker(program, { eval: true, env: {}, execArgv: [], workerData: pairs })
    }),
    (worker) =>
      Effect.callback<ReadonlyArray<boolean> | undefined>((resume) => {
        let timer: NodeJS.Timeout | undefined
        const over = (matches: ReadonlyArray<boolean> | undefined) => {
          clearTimeout(timer)
          resume(Effect.succeed(matches))
        }
        worker.on("error", () => over(undefined))
        worker.on("message", (said: "begun" | ReadonlyArray<boolean>) => {
          if (said !== "begun") return over(said)
          const before = process.cpuUsage()
          const wait = (rest: number) => {
            timer = setTimeout(() => {
              const { system, user } = process.cpuUsage(before)
              const left = Math.ceil(limit - (system + user) / 1000)
              // On a busy machine the thread may not have run yet. `setImmediate` lets an answer that has arrived be read first.
              if (left > 0) wait(left)
              else setImmediate(over, undefined)
            }, rest)
          }
          wait(limit)
        })
        return Effect.sync(() => clearTimeout(timer))
      }),
    (worker) => Effect.promise(() => worker.terminate()),
  )

const program = `const { parentPort, workerData } = require("node:worker_threads")
parentPort.postMessage("begun")
parentPort.postMessage(workerData.map(([expression, text]) => expression.test(text)))`
