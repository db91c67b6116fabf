/**
 * Variables in a file of Claude Code's: `${NAME}`, and `${NAME:-what otherwise}`.
 *
 * @see Claude Code 2.1, project-scoped MCP configuration
 */

import { about, type Finding } from "../doctor/Finding.ts"
import * as ShellWords from "../doctor/ShellWords.ts"

/**
 * - `unset`: names without a value, which stay as they were written
 * - `used`: the values that were put in, each a secret: its name does not say what it is
 */
export interface Expanded<A> {
  readonly value: A
  readonly unset: ReadonlyArray<string>
  readonly used: ReadonlyArray<string>
}

/** The value of a variable, and of nothing else that an object has. */
export const variable = (env: Readonly<Record<string, string | undefined>>, name: string): string | undefined =>
  Object.hasOwn(env, name) ? env[name] : undefined

/**
 * @param lookup the value of a name; `undefined` for one that has none
 * @param hasFallback whether `:-` means anything
 */
export const make = (lookup: (name: string) => string | undefined, hasFallback = true) => {
  const text = (written: string): Expanded<string> => {
    const unset: Array<string> = []
    const used: Array<string> = []
    const value = written.replace(/\$\{([^{}]+)\}/g, (whole, inner: string) => {
      const at = hasFallback ? inner.indexOf(":-") : -1
      const name = at < 0 ? inner : inner.slice(0, at)
      const found = lookup(name) ?? (at < 0 ? undefined : inner.slice(at + 2))
      if (found === undefined) unset.push(name)
      else if (found !== "") used.push(found)
      return found ?? whole
    })
    return { value, unset, used }
  }
  const texts = (written: ReadonlyArray<string>): Expanded<ReadonlyArray<string>> => {
    const all = written.map(text)
    return {
      value: all.map(({ value }) => value),
      unset: all.flatMap(({ unset }) => unset),
      used: all.flatMap(({ used }) => used),
    }
  }
  const record = (written: Readonly<Record<string, string>>): Expanded<Readonly<Record<string, string>>> => {
    const values = texts(Object.values(written))
    const names = Object.keys(written)
    return { ...values, value: Object.fromEntries(names.map((name, at) => [name, values.value[at] ?? ""])) }
  }
  return { text, texts, record }
}

const editors =
  /^(?:input|command|config):|^(?:file|relativeFile|selectedText|lineNumber|pathSeparator|workspaceFolder:)/

/** Findings for all names without a value: the editor's own, those of no variable, and the rest. */
export const findings = (name: string, names: ReadonlyArray<string>, isVsCode = false): ReadonlyArray<Finding> => {
  const found = about(name)
  const unique = [...new Set(names)]
  const ofEditor = isVsCode ? unique.filter((one) => editors.test(one)) : []
  const variables = unique
    .filter((one) => !ofEditor.includes(one))
    .map((one) => one.replace(isVsCode ? /^env:/ : /^$/, ""))
  const isKnown = (one: string) => ShellWords.isVariable(one)
  const [unset, strange] = [variables.filter(isKnown), variables.filter((one) => !isKnown(one))]
  const findings: Array<Finding> = []
  if (strange.length > 0) {
    const what = `${strange.map((one) => JSON.stringify(one)).join(", ")}: that is no name of a variable.`
    findings.push(found("problem", "entry-invalid", what, { fix: "Write the name of a variable of the environment." }))
  }
  if (unset.length > 0) {
    findings.push(
      found(
        "problem",
        "entry-variable-unset",
        `${unset.length === 1 ? "A variable has" : "Variables have"} no value: ${unset.join(", ")}.`,
        {
          cause: "The file names variables of the environment, and the server gets the names in place of values.",
          fix: unset.map((one) => `export ${one}=…`).join("; "),
        },
      ),
    )
  }
  if (ofEditor.length > 0) {
    findings.push(
      found("warning", "entry-not-checked", `It takes ${ofEditor.join(", ")} from its editor when it starts.`, {
        cause: "Only the editor that the file is for knows, or asks.",
      }),
    )
  }
  return findings
}
