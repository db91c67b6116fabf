/**
 * Variables in a file of Claude Code's: `${NAME}`, and `${NAME:-what otherwise}`.
 *
 * @see Claude Code 2.1, project-scoped MCP configuration
 */

import { about, type Finding } from "../doctor/Finding.ts"

/** - `unset`: names without a value, which stay as they were written */
export interface Expanded<A> {
  readonly value: A
  readonly unset: ReadonlyArray<string>
}

/** The value of a variable, and of nothing else that an object has. */
export const variable = (env: Readonly<Record<string, string | undefined>>, name: string): string | undefined =>
  Object.hasOwn(env, name) ? env[name] : undefined

/** @param lookup the value of a name; `undefined` for one that has none */
export const make = (lookup: (name: string) => string | undefined) => {
  const text = (written: string): Expanded<string> => {
    const unset: Array<string> = []
    const value = written.replace(/\$\{([^{}]+)\}/g, (whole, inner: string) => {
      const at = inner.indexOf(":-")
      const name = at < 0 ? inner : inner.slice(0, at)
      const found = lookup(name) ?? (at < 0 ? undefined : inner.slice(at + 2))
      if (found === undefined) unset.push(name)
      return found ?? whole
    })
    return { value, unset }
  }
  const texts = (written: ReadonlyArray<string>): Expanded<ReadonlyArray<string>> => {
    const all = written.map(text)
    return { value: all.map(({ value }) => value), unset: all.flatMap(({ unset }) => unset) }
  }
  const record = (written: Readonly<Record<string, string>>): Expanded<Readonly<Record<string, string>>> => {
    const values = texts(Object.values(written))
    const names = Object.keys(written)
    return {
      value: Object.fromEntries(names.map((name, at) => [name, values.value[at] ?? ""])),
      unset: values.unset,
    }
  }
  return { text, texts, record }
}

/** One finding for all names without a value. */
export const findings = (name: string, names: ReadonlyArray<string>): ReadonlyArray<Finding> => {
  const unique = [...new Set(names)]
  if (unique.length === 0) return []
  const isInput = unique.every((one) => one.startsWith("input:"))
  return [
    about(name)(
      isInput ? "warning" : "problem",
      isInput ? "entry-not-checked" : "entry-variable-unset",
      isInput
        ? `It asks its user for ${unique.join(", ")} when it starts.`
        : `${unique.length === 1 ? "A variable has" : "Variables have"} no value: ${unique.join(", ")}.`,
      isInput
        ? { cause: "Only the editor that the file is for can ask." }
        : {
            cause: "The file names variables of the environment, and the server gets the names in place of values.",
            fix: unique.map((one) => `export ${one.replace(/^env:/, "")}=…`).join("; "),
          },
    ),
  ]
}
