/**
 * The examples of docs/reference/blender-graphql.md: the operations in `examples/`, what each is given, and what is answered.
 */
import { readFileSync } from "node:fs"
import type { ToolContext } from "@zain/editor-link/domain/Catalogue"
import * as Carrier from "@zain/editor-link/infrastructure/link/Carrier"
import * as EditorLink from "@zain/editor-link/infrastructure/link/EditorLink"
import type { Place } from "@zain/editor-link/infrastructure/link/Target"
import { Duration, Effect } from "effect"
import {
  type DocumentNode,
  getNamedType,
  Kind,
  parse,
  print,
  separateOperations,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from "graphql"
import * as BlenderBridge from "../src/BlenderBridge.ts"
import { blender as profile } from "../src/BlenderProfile.ts"
import { schema } from "../src/BlenderSchema.ts"
import type { BridgeFailure, Params } from "../src/Bridge.ts"
import * as ExecutionStats from "../src/ExecutionStats.ts"
import { filesDirectory } from "../src/fake/BlenderMethods.ts"
import * as FakeBlender from "../src/fake/FakeBlender.ts"
import * as GraphQl from "../src/GraphQl.ts"
import * as StubBridge from "./StubBridge.ts"

interface Given {
  readonly variables?: Params
  /** The name of an example that is executed before. */
  readonly after?: string
  /** What the client's model writes, one answer after the other. */
  readonly model?: ReadonlyArray<string>
  /** What a stub answers in place of Blender. */
  readonly instead?: Readonly<Record<string, Effect.Effect<unknown, BridgeFailure>>>
  /** What a real Blender answers in place of what its fake does. */
  readonly real?: readonly [fake: string, real: string]
}

const fails = (method: string, code: string, message: string): Given => ({
  instead: { [method]: Effect.fail({ code, message }) },
})

const vector = { x: 0, y: 0, z: 0 }
const viewport = { location: vector, rotation: { ...vector, x: 1.1 }, perspective: "PERSP", shading: "SOLID" }

/** What examples are given beside their document. */
const given: Readonly<Record<string, Given>> = {
  SceneState: { real: ['["Material"]', '["Dots Stroke","Material"]'] },
  ViewportOfWindow: { instead: { "scene.read": Effect.succeed({ viewport }) } },
  ViewportPicture: {
    instead: {
      "preview.render": Effect.succeed({ mediaType: "image/png", width: 512, height: 512, base64: "iVBORw0KGgo" }),
    },
  },
  OneObject: { variables: { name: "Cube" }, after: "Modifier" },
  ClearParent: { after: "Parent", real: ['["parent"]', '["transform","parent"]'] },
  RemoveModifier: { after: "Modifier" },
  SampledCommand: { model: ['[{ "world": { "color": { "r": 1, "g": 0.4, "b": 0.2 } } }]'] },
  PythonCode: { variables: { pythonCode: 'print("こんにちは")\n42', metadata: { author: "あおい" } } },
  SCENE_NOT_FOUND: fails("scene.read", "SCENE_NOT_FOUND", "There is no scene."),
  SYSTEM_ERROR: fails("undo", "SYSTEM_ERROR", "64 requests wait for Blender, and no more can."),
  INTERNAL_SERVER_ERROR: fails("undo", "INTERNAL_SERVER_ERROR", "The bridge failed."),
  UNEXPECTED_ERROR: fails("scene.read", "A_NEW_CODE", "It failed in a way that this server does not have."),
  AUTHENTICATION_FAILED: fails("undo", "AUTHENTICATION_FAILED", "The token is wrong."),
  COMMAND_EXECUTION_FAILED: { model: ["A sunset!", '[{ "sunset": {} }]'] },
}

export interface Example extends Given {
  readonly name: string
  /** In Japanese and English. */
  readonly title: string
  readonly query: string
  /** The document without the fragments of its section. */
  readonly operation: string
  /** The coordinates of the schema that its document has. */
  readonly shows: ReadonlySet<string>
}

const shown = (document: DocumentNode): ReadonlySet<string> => {
  const info = new TypeInfo(schema)
  const found = new Set<string>()
  const field = () => `${info.getParentType()?.name}.${info.getFieldDef()?.name}`
  visit(
    document,
    visitWithTypeInfo(info, {
      Field: () => void found.add(field()),
      Argument: ({ name }) => void found.add(`${field()}(${name.value}:)`),
      ObjectField: ({ name }) => void found.add(`${getNamedType(info.getParentInputType())?.name}.${name.value}`),
      EnumValue: ({ value }) => void found.add(`${getNamedType(info.getInputType())?.name}.${value}`),
    }),
  )
  return found
}

/** The examples of a file, and the fragments that they share. */
export interface Section {
  readonly fragments: ReadonlyArray<string>
  readonly examples: ReadonlyArray<Example>
}

const read = (name: string): Section => {
  const file = parse(readFileSync(new URL(`examples/${name}.graphql`, import.meta.url), "utf8"))
  const documents = separateOperations(file)
  const fragments: Array<string> = []
  const examples: Array<Example> = []
  for (const definition of file.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) {
      fragments.push(print(definition))
      continue
    }
    const name = definition.name?.value ?? ""
    const document = documents[name] ?? file
    const title = definition.loc?.startToken.prev?.value?.trim() ?? ""
    const texts = { name, title, query: print(document), operation: print(definition) }
    examples.push({ ...given[name], ...texts, shows: shown(document) })
  }
  return { fragments, examples }
}

export const sections = {
  "Examples of reads": read("reads"),
  "Examples of operations": read("operations"),
  "Examples of steps": read("steps"),
  "Examples of failures": read("failures"),
}

export const all: ReadonlyArray<Example> = Object.values(sections).flatMap(({ examples }) => examples)

/** An answer without what differs from run to run: times, pictures, digests, the directory of files, the last digits. */
const plain = (answer: unknown, directory: string): Params =>
  JSON.parse(JSON.stringify(answer), (name, value) => {
    if (["executionTimeMs", "meanMs", "maxMs"].includes(name)) return 1.5
    if (name === "base64") return "iVBORw0KGgo…"
    if (name === "digest") return "9f86d081…"
    if (typeof value === "number") return Number(value.toPrecision(4)) + 0
    return typeof value === "string" ? value.replaceAll(directory, "/blends") : value
  })

/**
 * Executes every example on a scene that begins as Blender's own, saved as `start.blend`.
 *
 * @param directory where the bridge has its files
 * @returns the answers by the names of the examples
 */
export const answers = Effect.fnUntraced(function* (target: Place, directory: string) {
  const link = yield* EditorLink.make(profile, {
    target,
    connect: Carrier.tcp(profile, target),
    hello: { clientName: "test", isDevelopment: false, wantsProject: false },
  })
  const send: ToolContext["send"] = (method, params, { timeoutMs = 60_000 } = {}) =>
    link.request(method, params, { deadline: Duration.millis(timeoutMs), isRepeatable: false })
  const execute = ({ instead, model, query, variables }: Example) => {
    if (instead !== undefined) return StubBridge.make(instead).execute(query, variables)
    const said = [...(model ?? [])]
    const sample = model === undefined ? undefined : () => Effect.sync(() => said.shift() ?? "")
    return BlenderBridge.use(
      { send } as ToolContext,
      (services) => GraphQl.execute({ ...services, stats: ExecutionStats.make(), sample }, { query, variables }),
      (answer) => Effect.succeed(answer as never),
    )
  }
  const file = { path: "start.blend" }
  yield* send("file.save", file)
  const answered = new Map<string, Params>()
  for (const example of all) {
    yield* send("file.open", { ...file, discard: true })
    const before = all.find(({ name }) => name === example.after)
    if (before !== undefined) yield* execute(before)
    answered.set(example.name, plain(yield* execute(example), directory))
  }
  return answered
})

/** The answers of a real Blender, by its fake. */
export const expected = Effect.gen(function* () {
  const { port, token } = yield* FakeBlender.start()
  const answered = yield* answers({ host: "127.0.0.1", port, token }, filesDirectory)
  for (const { name, real } of all) {
    if (real === undefined) continue
    const text = JSON.stringify(answered.get(name))
    if (!text.includes(real[0])) return yield* Effect.die(new Error(`The fake does not answer ${real[0]}: ${text}`))
    answered.set(name, JSON.parse(text.replace(...real)))
  }
  return answered
})
