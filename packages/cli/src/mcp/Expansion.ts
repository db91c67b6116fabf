/**
 * Expands variables in a file: `${NAME}`, and `${NAME:-default}` if its client supports it.
 *
 * @see Claude Code 2.1, project-scoped MCP configuration
 */

import { about, type Finding } from "../doctor/Finding.ts"
import * as ShellWords from "../doctor/ShellWords.ts"

export interface Expanded<A> {
  readonly value: A
  /** Names without a value, which stay unexpanded. */
  readonly unset: ReadonlyArray<string>
  /** The inserted values, all treated as secrets. */
  readonly used: ReadonlyArray<string>
}

/** The value of a variable, without inherited properties of the object. */
export const variable = (env: Readonly<Record<string, string | undefined>>, name: string): string | undefined =>
  Object.hasOwn(env, name) ? env[name] : undefined

/** How variables in a file are expanded. */
export interface Expansion {
  readonly text: (written: string) => Expanded<string>
  readonly texts: (written: ReadonlyArray<string>) => Expanded<ReadonlyArray<string>>
  readonly record: (written: Readonly<Record<string, string>>) => Expanded<Readonly<Record<string, string>>>
  /** Makes findings about names without a value. */
  readonly findings: (name: string, unset: ReadonlyArray<string>) => ReadonlyArray<Finding>
}

export interface Options {
  /** Whether `:-default` is supported. Default: false. */
  readonly hasFallback?: boolean
  /** The prefix of environment variables, such as `env:`. */
  readonly prefix?: string
  /** Names whose values only the editor has. */
  readonly ofEditor?: RegExp
}

/**
 * @param lookup returns the value of a name; if omitted, nothing is expanded
 */
export const make = (
  lookup: ((name: string) => string | undefined) | undefined,
  { hasFallback = false, ofEditor, prefix = "" }: Options = {},
): Expansion => {
  const text = (written: string): Expanded<string> => {
    const unset: Array<string> = []
    const used: Array<string> = []
    if (lookup === undefined) return { value: written, unset, used }
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
  const findings = (name: string, names: ReadonlyArray<string>): ReadonlyArray<Finding> => {
    const found = about(name)
    const unique = [...new Set(names)]
    const editors = unique.filter((one) => ofEditor?.test(one))
    const variables = unique
      .filter((one) => !editors.includes(one))
      .map((one) => (one.startsWith(prefix) ? one.slice(prefix.length) : one))
    const unset = variables.filter(ShellWords.isVariable)
    const strange = variables.filter((one) => !ShellWords.isVariable(one)).map((one) => JSON.stringify(one))
    const findings = [
      found(
        "entry-invalid",
        `${strange.join(", ")}: not the name of a variable.`,
        "Write the name of an environment variable.",
      ),
      found("entry-variable-unset", unset),
      found(
        "entry-not-checked",
        `It receives ${editors.join(", ")} from its editor when it starts.`,
        "Only the file's editor has these values.",
      ),
    ]
    return findings.filter((_, at) => [strange, unset, editors][at]?.length !== 0)
  }
  return { text, texts, record, findings }
}
