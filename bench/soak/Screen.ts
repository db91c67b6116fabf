/** Progress on standard error, figures on standard output. With `json`, one object per transport. */
import type { Progress } from "./Soak.ts"
import type { Phase, Verdict } from "./Verdict.ts"

export interface Screen extends Progress {
  readonly verdict: (verdict: Verdict) => void
}

/** How often progress is drawn, in milliseconds. */
const pace = 100

export const make = ({ json }: { readonly json: boolean }): Screen => {
  const { stderr } = process
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
      if (json) console.log(JSON.stringify(verdict))
      else show(verdict)
    },
  }
}

const show = ({ after, before, executes, figures, ok, sessions, transport }: Verdict) => {
  const [first, last] = [before, after].map(({ resident }) => `${Math.round(resident / 2 ** 20)} MiB`)
  const rates = `${rate(executes, "executes")}, ${rate(sessions, "sessions")}`
  console.log(`${transport}: ${rates}; resident ${first}, then ${last}`)
  console.table(figures)
  console.log(ok ? "Everything was answered, and nothing is left.\n" : "Something is left.\n")
}

const rate = ({ count, seconds }: Phase, what: string) =>
  `${count.toLocaleString("en")} ${what} in ${seconds.toFixed(1)} s`
