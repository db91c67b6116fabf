/**
 * Python, as far as the fake of Blender runs it: it prints texts, and fails in the ways that code fails.
 */
import { type BlenderFailure, failure } from "./BlenderFailure.ts"

const printed = /^\s*print\((["'])(.*?)\1\)\s*$/

interface Kind {
  readonly isIn: RegExp
  readonly code: string
  readonly message: (at: number, found: RegExpExecArray, seconds: number) => string
  readonly suggestions?: ReadonlyArray<string>
  readonly hasDetails?: boolean
}

const failures: ReadonlyArray<Kind> = [
  {
    isIn: /\(\s*$/,
    code: "CODE_VALIDATION_FAILED",
    message: (at) => `The code is no valid Python in line ${at}: '(' was never closed`,
  },
  {
    isIn: /\bimport\s+(os|subprocess|sys)\b|__\w+__|\b(open|eval|exec|getattr)\(/,
    code: "DANGEROUS_OPERATION",
    message: (at, [name, module]) =>
      `Line ${at}: ${module === undefined ? `name \`${name}\`` : `module \`${module}\``} is not allowed`,
    suggestions: ["Allowed modules: bpy, bmesh, math, mathutils, numpy, random, time."],
  },
  {
    isIn: /1\s*\/\s*0/,
    code: "EXECUTION_ERROR",
    message: () => "ZeroDivisionError: division by zero",
    hasDetails: true,
  },
  {
    isIn: /while\s+True/,
    code: "OPERATION_TIMEOUT",
    message: (_, __, seconds) => `The code did not end within ${seconds} s`,
    suggestions: ["Raise `timeoutMs` (at most 600000), or do the work in parts."],
    hasDetails: true,
  },
]

/**
 * What was printed, and the value of the last statement, which is an expression where it is a number.
 *
 * @param millis the limit of its time
 */
export const run = (
  code: string,
  millis: number,
): BlenderFailure | { readonly output: string; readonly value: number | null } => {
  const lines = code.split("\n")
  for (const [index, line] of lines.entries()) {
    for (const { code, hasDetails, isIn, message, suggestions = [] } of failures) {
      const found = isIn.exec(line)
      const at = index + 1
      const details = hasDetails === true ? { details: `line ${at}, in <module>: ${line}` } : {}
      if (found === null) continue
      return failure(code, message(at, found, millis / 1000), { path: ["code"], suggestions, line: at, ...details })
    }
  }
  const output = lines.flatMap((line) => printed.exec(line)?.[2] ?? []).map((text) => `${text}\n`)
  const last = lines.at(-1)?.trim() ?? ""
  return { output: output.join(""), value: /^-?\d+(\.\d+)?$/.test(last) ? Number(last) : null }
}
