/**
 * Reads steps. Loaded with the first call: its validator takes milliseconds, and `initialize` does not need it.
 */

import { near } from "@zain/editor-link/domain/Catalogue"
import { quoted } from "@zain/editor-link/domain/Quoted"
import { isRecord } from "@zain/process/JsonRpc"
import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js"
import * as Result from "effect/Result"
import type { BridgeFailure, Params } from "./Bridge.ts"
import * as Steps from "./Steps.ts"

/** A failure of `read` in one line. */
export const sentence = ({ message, suggestions = [] }: BridgeFailure): string => [message, ...suggestions].join(" ")

/** The first problem ends a validation: its time is bounded by the size of what is given. */
const validate = new Ajv2020({ strict: true }).compile<ReadonlyArray<Steps.Step>>(Steps.schema)

/** @returns the steps, or what is wrong with them and where */
export const read = (steps: unknown): Result.Result<ReadonlyArray<Steps.Step>, BridgeFailure> => {
  if (validate(steps)) return Result.succeed(steps)
  const [error] = validate.errors ?? []
  return Result.fail(
    error === undefined ? { code: "VALIDATION_ERROR", message: "The steps are wrong." } : failure(error),
  )
}

const failure = ({ instancePath, keyword, message = "is wrong", params }: ErrorObject): BridgeFailure => {
  const path = ["steps", ...instancePath.split("/").slice(1).map(part)]
  const place = path
    .map((one) => (typeof one === "number" ? `[${one}]` : `.${one}`))
    .join("")
    .slice(1)
  const named: unknown = params["additionalProperty"] ?? params["missingProperty"]
  switch (keyword) {
    case "additionalProperties": {
      const known = membersAt(path)
      const similar = near(String(named), known)
      const suggestions = [...similar.map((one) => `Did you mean \`${one}\`?`), `Known members: ${known.join(", ")}.`]
      const said = `\`${place}\` has an unknown member ${quoted(String(named))}.`
      return { code: "VALIDATION_ERROR", message: said, path, suggestions }
    }
    case "required":
      return { code: "MISSING_FIELD", message: `\`${place}\` lacks \`${named}\`.`, path: [...path, String(named)] }
    case "minProperties":
    case "maxProperties":
      return { code: "VALIDATION_ERROR", message: `\`${place}\` needs exactly one member: the step's name.`, path }
    case "enum": {
      const allowed = (params["allowedValues"] as ReadonlyArray<unknown>).join(", ")
      return { code: "INVALID_VALUE", message: `\`${place}\` is none of ${allowed}.`, path }
    }
    default:
      return {
        code: keyword === "type" ? "VALIDATION_ERROR" : "INVALID_VALUE",
        message: `\`${place}\` ${message}.`,
        path,
      }
  }
}

const part = (text: string): string | number =>
  /^\d+$/.test(text) ? Number(text) : text.replaceAll("~1", "/").replaceAll("~0", "~")

/** The members that the schema knows at a path. */
const membersAt = (path: ReadonlyArray<string | number>): ReadonlyArray<string> => {
  let found: unknown = Steps.schema
  for (const one of path.slice(1)) {
    const at = resolved(found)
    found = typeof one === "number" ? at["items"] : (at["properties"] as Params | undefined)?.[one]
  }
  return Object.keys((resolved(found)["properties"] as Params | undefined) ?? {})
}

const resolved = (value: unknown): Params => {
  if (!isRecord(value)) return {}
  const name = /^#\/\$defs\/(\w+)$/.exec(String(value["$ref"] ?? ""))?.[1]
  return name === undefined ? value : { ...(Steps.definitions[name] as Params) }
}
