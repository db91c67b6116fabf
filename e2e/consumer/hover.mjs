// Prints the members of `Hovered` at which an editor shows no description. The argument names a compiler with an API.
import { fileURLToPath } from "node:url"

const { default: ts } = await import(process.argv[2])
const file = fileURLToPath(new URL("hovered.ts", import.meta.url))
const { NodeNext } = ts.ModuleKind
const program = ts.createProgram([file], { strict: true, module: NodeNext, target: ts.ScriptTarget.ESNext })
const checker = program.getTypeChecker()
const seen = new Set()

const visit = (type, path) => {
  if (seen.has(type)) return
  seen.add(type)
  if (type.isUnionOrIntersection()) for (const part of type.types) visit(part, path)
  for (const argument of checker.isArrayType(type) || checker.isTupleType(type) ? checker.getTypeArguments(type) : []) {
    visit(argument, path)
  }
  if ((type.flags & ts.TypeFlags.Object) === 0 || checker.isArrayLikeType(type)) return
  for (const member of checker.getPropertiesOfType(type)) {
    const [declared] = member.declarations ?? []
    if (declared === undefined || !/[\\/]@zain[\\/]/.test(declared.getSourceFile().fileName)) continue
    const name = `${path}.${member.name}`
    if (member.name !== "_tag" && member.getDocumentationComment(checker).length === 0)
      process.stdout.write(`${name}\n`)
    visit(checker.getTypeOfSymbol(member), name)
  }
}

for (const statement of program.getSourceFile(file).statements) {
  if (!ts.isInterfaceDeclaration(statement)) continue
  for (const member of checker.getTypeAtLocation(statement).getProperties()) {
    visit(checker.getTypeOfSymbol(member), member.name)
  }
}
process.stdout.write(`${seen.size} types\n`)
