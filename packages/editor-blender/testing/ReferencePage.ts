/**
 * docs/reference/blender-graphql.md, made of the schema, the table of error codes, and the examples with their answers.
 */
import { fileURLToPath } from "node:url"
import {
  type EnumValueDefinitionNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
  parse,
  print,
  type TypeDefinitionNode,
} from "graphql"
import { sdl } from "../src/BlenderSchema.ts"
import type { Params } from "../src/Bridge.ts"
import * as ErrorCodes from "../src/ErrorCodes.ts"
import * as Examples from "./Examples.ts"

type Answers = ReadonlyMap<string, Params>
type Member = FieldDefinitionNode | InputValueDefinitionNode | EnumValueDefinitionNode

const { definitions } = parse(sdl)
const types = definitions.filter((one): one is TypeDefinitionNode => "name" in one)
const isLinked = (name: string) =>
  types.some((type) => type.name.value === name && type.kind !== Kind.SCALAR_TYPE_DEFINITION)

/** The members of a type with the names that tables give them: an argument stands after its field. */
const membersOf = (type: TypeDefinitionNode): ReadonlyArray<readonly [name: string, member: Member]> => {
  const members: ReadonlyArray<Member> =
    ("values" in type ? type.values : "fields" in type ? type.fields : undefined) ?? []
  return members.flatMap((member) => {
    const name = member.name.value
    const args = "arguments" in member ? (member.arguments ?? []) : []
    return [[name, member], ...args.map((arg) => [`${name}(${arg.name.value}:)`, arg] as const)]
  })
}

/** The coordinates of all fields, arguments, members of inputs and values of enums. */
export const coordinates: ReadonlyArray<string> = types.flatMap((type) =>
  membersOf(type).map(([name]) => `${type.name.value}.${name}`),
)

/** The name of the first example that has a coordinate: in its document, or as a code or a category in its answer. */
export const firstExamples = (answers: Answers): ReadonlyMap<string, string> => {
  const first = new Map<string, string>()
  for (const { name, shows } of Examples.all) {
    const answered = JSON.stringify(answers.get(name)).matchAll(/"(code|category)":"(\w+)"/g)
    const values = [...answered].map(([, of, value]) => `${of === "code" ? "ErrorCode" : "ErrorCategory"}.${value}`)
    for (const coordinate of [...shows, ...values]) if (!first.has(coordinate)) first.set(coordinate, name)
  }
  return first
}

/** The two languages of the first line of a text. */
const both = (text = ""): ReadonlyArray<string> => text.split("\n")[0]?.split(" / ") ?? []

const descriptionOf = (member: Member): ReadonlyArray<string> => {
  const reason = member.directives?.find(({ name }) => name.value === "deprecated")?.arguments?.[0]?.value
  const reasons = reason?.kind === Kind.STRING ? both(reason.value) : []
  return both(member.description?.value).map((text, at) =>
    reasons[at] === undefined ? text : `${text} **${at === 0 ? "非推奨" : "Deprecated"}**: ${reasons[at]}`,
  )
}

const typeOf = (member: Exclude<Member, EnumValueDefinitionNode>): string => {
  const type = print(member.type)
  const usual = "defaultValue" in member && member.defaultValue ? ` = ${print(member.defaultValue)}` : ""
  const [name = ""] = /\w+/.exec(type) ?? []
  return isLinked(name) ? `[\`${type}${usual}\`](#${name.toLowerCase()})` : `\`${type}${usual}\``
}

const row = (cells: ReadonlyArray<string>): string =>
  `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`

const exampleLink = (name = "") => `[${name}](#example-${name.toLowerCase()})`

const typeSection = (type: TypeDefinitionNode, first: ReadonlyMap<string, string>): string => {
  const { value: name } = type.name
  const isCodes = name === "ErrorCode"
  const hasTypes = type.kind !== Kind.ENUM_TYPE_DEFINITION
  const heads = [
    "name",
    ...(hasTypes ? ["type"] : []),
    "日本語",
    "English",
    ...(isCodes ? ["category", "suggestions"] : []),
  ]
  const rows = membersOf(type).map(([title, member]) => {
    const { category, suggestions } = ErrorCodes.table[title as ErrorCodes.ErrorCode] ?? {}
    const types = "type" in member ? [typeOf(member)] : []
    const more = isCodes ? [`\`${category}\``, suggestions?.join(" ") ?? ""] : []
    return [`\`${title}\``, ...types, ...descriptionOf(member), ...more, exampleLink(first.get(`${name}.${title}`))]
  })
  const lines = [[...heads, "example"], [...heads, ""].map(() => "---"), ...rows].map(row)
  const isInterfaced = "interfaces" in type && type.interfaces?.length
  return [
    `### ${name}`,
    both(type.description?.value).join(" "),
    ...(isInterfaced ? ["Implements [`OperationResult`](#operationresult)."] : []),
    ...(type.directives?.length ? ["Exactly one of these members is given (`@oneOf`)."] : []),
    ...(rows.length === 0 ? [] : [lines.join("\n")]),
  ].join("\n\n")
}

const block = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``

const exampleSection = (example: Examples.Example, answer: Params | undefined): string => {
  const { after, instead, model = [], name, operation, title, variables } = example
  return [
    `### Example ${name}`,
    both(title).join(" "),
    ...(after === undefined ? [] : [`${exampleLink(after)} is executed before.`]),
    ...(instead === undefined ? [] : ["A stub answers in place of Blender."]),
    ...(model.length === 0 ? [] : [`The client's model writes ${model.map((text) => `\`${text}\``).join(", then ")}.`]),
    block("graphql", operation),
    ...(variables === undefined ? [] : ["Its variables:", block("json", JSON.stringify(variables, undefined, 2))]),
    "The answer:",
    block("json", JSON.stringify(answer, undefined, 2)),
  ].join("\n\n")
}

const parts: ReadonlyArray<readonly [title: string, kinds: ReadonlyArray<Kind>]> = [
  ["Queries, mutations and their types", [Kind.OBJECT_TYPE_DEFINITION, Kind.INTERFACE_TYPE_DEFINITION]],
  ["Inputs", [Kind.INPUT_OBJECT_TYPE_DEFINITION, Kind.SCALAR_TYPE_DEFINITION]],
  ["Enums and error codes", [Kind.ENUM_TYPE_DEFINITION]],
]

/** What the schema says of itself: English, then Japanese. */
const paragraphs = [1, 0]
  .flatMap((language) =>
    definitions
      .flatMap((one) => (one.kind === Kind.SCHEMA_DEFINITION ? (one.description?.value.split("\n\n") ?? []) : []))
      .map((paragraph) => both(paragraph)[language]),
  )
  .join("\n\n")

const introduction = `# Blender by GraphQL

This is the schema that \`zain-editor-mcp blender\` executes GraphQL by: see [the editor server](../guides/editor-server.md#with-blender).

${paragraphs}

Each row of a table links an example that uses it. The tests execute every example in Blender 3.4.1 and in a fake of it, on the scene
that Blender begins with, and compare the answers with those below; where Blender gives no such answer, a stub does, and the example
says so. Times are written as 1.5, pictures as \`iVBORw0KGgo…\`, digests
as \`9f86d081…\`, the directory of \`--files\` as \`/blends\`; numbers have four digits.

表の各行は、それを使う例にリンクしている。テストはすべての例を、Blender の初期シーンに対して Blender 3.4.1 とその模擬サーバーで実行し、
下の応答と比較する。Blender がその応答を返さない場合はスタブが代わりに答え、例にその旨を記す。時間は 1.5、画像は \`iVBORw0KGgo…\`、ダイジェストは \`9f86d081…\`、\`--files\` のディレクトリは \`/blends\` と記し、
数値は有効数字 4 桁とする。`

/** The file of the page. */
export const path = fileURLToPath(new URL("../../../docs/reference/blender-graphql.md", import.meta.url))

export const page = (answers: Answers): string => {
  const first = firstExamples(answers)
  const reference = parts.flatMap(([title, kinds]) => [
    `## ${title}`,
    ...types.filter(({ kind }) => kinds.includes(kind)).map((type) => typeSection(type, first)),
  ])
  const examples = Object.entries(Examples.sections).flatMap(([title, { examples, fragments }]) => [
    `## ${title}`,
    ...(fragments.length === 0
      ? []
      : ["Fragments that these documents have too:", block("graphql", fragments.join("\n\n"))]),
    ...examples.map((example) => exampleSection(example, answers.get(example.name))),
  ])
  return `${[introduction, ...reference, ...examples].join("\n\n")}\n`
}
