/**
 * Findings as text: a list with causes and fixes.
 */

import { clean } from "@zain/command/PlainText"
import { wrap } from "@zain/command/TextWidth"
import * as Output from "../Output.ts"
import type { Finding, Status } from "./Finding.ts"

type Screen = Pick<Output.Output, "columns" | "isTerminal" | "paint">

/** Output in a pipe is not wrapped. */
const unbroken = 4_000
const maxLines = 12
const maxColumns = 110

/**
 * @param report the findings
 * @param screen the output: symbols and colours on a terminal, words elsewhere
 */
export const inWords = (
  { findings, notChecked }: { readonly findings: ReadonlyArray<Finding>; readonly notChecked: ReadonlyArray<string> },
  screen: Screen,
): string => {
  const columns = screen.isTerminal ? Math.min(screen.columns(), maxColumns) : unbroken
  const last = [verdict(findings), ...(notChecked.length === 0 ? [] : [`Not checked: ${notChecked.join("; ")}.`])]
  const lines = last.flatMap((text) => wrap(text, columns, maxLines))
  return `${groups(findings, screen)}\n${lines.join("\n")}\n`
}

/** Control characters that JSON does not escape: DEL and C1. */
const driving = /[\u007f-\u009f]/g

/** A report as a line of JSON without control characters. */
export const inJson = (report: object): string =>
  Output.json(report).replace(driving, (one) => `\\u00${one.charCodeAt(0).toString(16)}`)

/** Findings grouped by subject. */
export const groups = (findings: ReadonlyArray<Finding>, screen: Screen): string => {
  const subjects = Map.groupBy(findings, ({ subject }) => subject)
  const texts = [...subjects].map(([subject, all]) => {
    const lines = all.flatMap((one) => finding(one, screen))
    return `${screen.paint.bold(clean(subject))}\n${lines.join("\n")}\n`
  })
  return texts.join("\n")
}

/** The mark of a status. */
export const mark = (status: Status, { isTerminal, paint }: Screen): string => {
  if (!isTerminal) return { ok: "ok      ", warning: "warning ", problem: "problem " }[status]
  return { ok: paint.green("✔ "), warning: paint.yellow("▲ "), problem: paint.red("✖ ") }[status]
}

const finding = ({ cause, fix, kind, millis, status, what }: Finding, screen: Screen): ReadonlyArray<string> => {
  const { isTerminal, paint } = screen
  const columns = isTerminal ? Math.min(screen.columns(), maxColumns) : unbroken
  const indent = isTerminal ? 4 : 10
  const body = (label: string, text: string | undefined, color: (text: string) => string) => {
    if (text === undefined) return []
    const lines = wrap(clean(text), columns - indent - label.length, maxLines)
    return lines.map((line, at) => {
      const head = at === 0 ? paint.dim(label) : " ".repeat(label.length)
      return `${" ".repeat(indent)}${head}${color(line)}`
    })
  }
  const time = millis === undefined ? "" : ` (${millis} ms)`
  const name = status === "ok" ? "" : `${kind}: `
  const [first = "", ...rest] = wrap(`${name}${clean(what)}${time}`, columns - indent, maxLines)
  return [
    `  ${mark(status, screen)}${first}`,
    ...rest.map((line) => `${" ".repeat(indent)}${line}`),
    ...body("Cause: ", cause, (text) => text),
    ...body("Fix:   ", fix, paint.cyan),
  ]
}

/** One line with the numbers of problems and warnings. */
export const verdict = (findings: ReadonlyArray<Finding>): string => {
  const count = (status: Status) => findings.filter((one) => one.status === status).length
  const [problems, warnings] = [count("problem"), count("warning")]
  const said = [
    ...(problems === 0 ? [] : [`${problems} ${problems === 1 ? "problem" : "problems"}`]),
    ...(warnings === 0 ? [] : [`${warnings} ${warnings === 1 ? "warning" : "warnings"}`]),
  ]
  const result = said.length === 0 ? "No problems." : `${said.join(", ")}.`
  return `${result} No turn was run, no model was called, and nothing was charged.`
}
