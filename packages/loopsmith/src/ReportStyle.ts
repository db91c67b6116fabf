/**
 * The style of a report: one column, light and dark, printable.
 */
export const style = `
:root { color-scheme: light dark; --ink: #1a1f2b; --soft: #5a6270; --line: #e3e6eb; --page: #ffffff; --card: #f6f7f9; --good: #117a46; --open: #9a5a00; --bad: #b3261e }
@media (prefers-color-scheme: dark) {
  :root { --ink: #eceff4; --soft: #a3abb8; --line: #2b303a; --page: #15181e; --card: #1c2027; --good: #5fd39a; --open: #f0b357; --bad: #ff8f85 }
}
* { box-sizing: border-box }
body { margin: 0 auto; padding: 2.5rem 1.25rem 4rem; max-width: 52rem; background: var(--page); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; overflow-wrap: anywhere }
h1 { margin: 0 0 .25rem; font-size: 1.7rem; line-height: 1.2 }
h2 { margin: 2.5rem 0 .75rem; font-size: 1.15rem }
h3 { margin: 1.5rem 0 .25rem; font-size: 1rem }
p { margin: .5rem 0 }
.outcome { margin: 1rem 0; padding: .75rem 1rem; border-left: 4px solid var(--open); background: var(--card); font-size: 1.05rem }
.outcome.reached-target { border-color: var(--good) }
.outcome.failed { border-color: var(--bad) }
.problem { white-space: pre-wrap; color: var(--bad) }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .75rem 1.5rem; margin: 1.25rem 0 }
dt { color: var(--soft); font-size: .85rem }
dd { margin: 0 }
.chart svg { display: block; width: 100%; height: auto; border: 1px solid var(--line); border-radius: 8px }
.scroll { overflow-x: auto }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums }
caption { padding: 0 0 .5rem; color: var(--soft); font-size: .85rem; text-align: left }
th, td { padding: .4rem .6rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap }
th { font-weight: 600 }
thead th { color: var(--soft); font-size: .85rem }
tr > :first-child { text-align: left }
tr.best { background: var(--card) }
li { margin: .35rem 0; white-space: pre-wrap }
.soft, footer { color: var(--soft) }
footer { margin-top: 3rem; font-size: .85rem }
@media print { body { max-width: none; padding: 0 } .outcome, tr.best { background: none } }
`
