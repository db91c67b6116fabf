/** What people see: progress on standard error, figures on standard output. With `json`, one object a transport. */
import { styleText } from "node:util"
import type { Progress } from "./Soak.ts"
import type { Phase, Verdict } from "./Verdict.ts"

export interface Screen extends Progress {
  readonly verdict: (verdict: Verdict) => void
}

/** How often progress is drawn, in milliseconds. */
const pace = 100

export const make = ({ json }: { readonly json: boolean }): Screen => {
  const { stderr, stdout } = process
  const isLive = stderr.isTTY === true
  const clear = () => {
    if (isLive) stderr.write("\r\u001b[K")
  }
  return {
    step: (what, total) => {
      let done = 0
      let drawn = 0
      if (!isLive) stderr.write(`${what}, ${total.toLocaleString("en")} …\n`)
      return () => {
        done++
        if (!isLive || (performance.now() - drawn < pace && done < total)) return
        drawn = performance.now()
        stderr.write(`\r\u001b[K${what}: ${done.toLocaleString("en")} of ${total.toLocaleString("en")}`)
        if (done === total) clear()
      }
    },
    verdict: (verdict) => {
      clear()
      stdout.write(json ? `${JSON.stringify(verdict)}\n` : `${text(verdict)}\n`)
    },
  }
}

const text = ({ executes, figures, ok, sessions, transport, ...run }: Verdict): string => {
  const colour = (style: "bold" | "green" | "red", words: string) => styleText(style, words, { stream: process.stdout })
  const width = Math.max(...figures.map(({ what }) => what.length))
  const most = Math.max(...figures.map(({ before }) => before.length))
  const resident = `${Math.round(run.before.resident / 1_048_576)} MiB, then ${Math.round(run.after.resident / 1_048_576)} MiB`
  return [
    `${colour("bold", transport)}: ${rate(executes, "executes")}, ${rate(sessions, "sessions")}; resident ${resident}`,
    ...figures.map(
      ({ after, before, ok: fine, what }) =>
        `  ${fine ? colour("green", "ok  ") : colour("red", "LEFT")} ${what.padEnd(width)}  ${before.padEnd(most)}  ${after}`,
    ),
    ok ? "  Everything was answered, and nothing is left.\n" : "  Something is left.\n",
  ].join("\n")
}

const rate = ({ count, seconds }: Phase, what: string) =>
  `${count.toLocaleString("en")} ${what} in ${seconds.toFixed(1)} s`
