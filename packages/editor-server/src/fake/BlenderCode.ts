/**
 * Python, as far as the fake of Blender runs it: it prints texts, and fails in the ways that code fails.
 */
import { type BlenderFailure, failure } from "./BlenderFailure.ts"

const printed = /^\s*print\((["'])(.*?)\1\)\s*$/

interface Kind {
  readonly isIn: RegExp
  readonly code: string
  readonly message: string
  readonly more?: Readonly<Record<string, unknown>>
}

const failures: ReadonlyArray<Kind> = [
  { isIn: /\(\s*$/, code: "CODE_VALIDATION_FAILED", message: "The code is no Python: '(' was never closed" },
  {
    isIn: /\bimport\s+(os|subprocess|sys)\b|__\w+__|\b(open|eval|exec|getattr)\(/,
    code: "DANGEROUS_OPERATION",
    message: "The code uses what is not on the list",
    more: { suggestions: ["Use bpy, bmesh, math, mathutils or random"] },
  },
  {
    isIn: /1\s*\/\s*0/,
    code: "EXECUTION_ERROR",
    message: "ZeroDivisionError: division by zero",
    more: { details: 'File "code", line 1' },
  },
  { isIn: /while\s+True/, code: "OPERATION_TIMEOUT", message: "The code was ended at its time limit" },
]

/** What was printed, and the value of the last statement, which is an expression where it is a number. */
export const run = (code: string): BlenderFailure | { readonly output: string; readonly value: number | null } => {
  const lines = code.split("\n")
  for (const [at, line] of lines.entries()) {
    const found = failures.find(({ isIn }) => isIn.test(line))
    if (found !== undefined) return failure(found.code, found.message, { line: at + 1, ...found.more })
  }
  const output = lines.flatMap((line) => printed.exec(line)?.[2] ?? []).map((text) => `${text}\n`)
  const last = lines.at(-1)?.trim() ?? ""
  return { output: output.join(""), value: /^-?\d+(\.\d+)?$/.test(last) ? Number(last) : null }
}
