/**
 * `script_create_class`: a new file with a class.
 */
import * as Effect from "effect/Effect"
import { isIdentifier } from "./Identifiers.ts"
import * as ProjectFiles from "./ProjectFiles.ts"
import * as Refusal from "./Refusal.ts"
import * as Arg from "./ScriptArguments.ts"
import { basis, type Work } from "./ScriptProject.ts"
import * as ScriptWrites from "./ScriptWrites.ts"

export const createClass: Work = Effect.fnUntraced(function* (args, { csharp, root }) {
  const className = Arg.text(args, "className")
  const namespace = Arg.optionalText(args, "namespace")
  const baseType = Arg.optionalText(args, "baseType")
  const usings = (Arg.optionalText(args, "usings") ?? "").split(/[,;\n]/).flatMap((each) => clean(each) ?? [])
  if (!isIdentifier(className)) {
    return yield* Refusal.refused(`className ${shown(className)} is not a C# identifier. Use letters, digits and _`)
  }
  if (namespace !== undefined && !namespace.split(".").every(isIdentifier)) {
    return yield* Refusal.refused(`namespace ${shown(namespace)} is not one. Use identifiers with dots between them`)
  }
  if (baseType !== undefined && !/^[\p{L}_][\p{L}\p{N}_.<>,[\]? ]*$/u.test(baseType)) {
    return yield* Refusal.refused(`baseType ${shown(baseType)} is not a type. Use a name such as MonoBehaviour`)
  }
  const wrong = usings.find((each) => !/^(static )?[\p{L}_][\p{L}\p{N}_.]*$/u.test(each))
  if (wrong !== undefined) {
    return yield* Refusal.refused(`usings has ${shown(wrong)}, which is not a namespace. Separate namespaces by commas`)
  }
  const found = yield* ProjectFiles.placeOf(root, Arg.text(args, "path"), "write")
  if (found.isThere) {
    return yield* Refusal.refused(`${found.path} is there already and was not changed. Choose another path or edit it`)
  }
  const needed = /^(MonoBehaviour|ScriptableObject)$/.test(baseType ?? "") ? ["UnityEngine"] : []
  const text = source({
    usings: [...new Set([...needed, ...usings])],
    namespace,
    head: `public ${Arg.flag(args, "partial", false) ? "partial " : ""}class ${className}${baseType === undefined ? "" : ` : ${baseType}`}`,
  })
  const { problems, symbols } = yield* csharp("outline", { text }, found.path)
  if (problems.length > 0 || symbols.length !== 1) {
    return yield* Refusal.refused(
      `The class would not be valid C#: ${problems[0]?.problem ?? "more than one declaration"}. Correct the arguments`,
    )
  }
  const isApplied = Arg.flag(args, "apply", false)
  if (isApplied) yield* ScriptWrites.create(found.path, found.place, text)
  return { path: found.path, ...basis, applied: isApplied, text }
})

const shown = (text: string): string => JSON.stringify(text.slice(0, 100))

/** `using System;` and `System` are the same. */
const clean = (using: string): string | undefined => {
  const plain = using
    .trim()
    .replace(/^using\s+/, "")
    .replace(/\s+/g, " ")
  return plain === "" ? undefined : plain
}

const source = ({
  head,
  namespace,
  usings,
}: {
  usings: ReadonlyArray<string>
  namespace: string | undefined
  head: string
}) => {
  const top = usings.length === 0 ? "" : `${usings.map((each) => `using ${each};\n`).join("")}\n`
  const own = `${head}\n{\n}\n`
  if (namespace === undefined) return top + own
  return `${top}namespace ${namespace}\n{\n${own.replace(/^(?=.)/gm, "    ")}}\n`
}
