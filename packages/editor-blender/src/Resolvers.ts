/**
 * The resolvers of the schema. Other fields are members of their value.
 */

import * as Effect from "effect/Effect"
import { constVoid } from "effect/Function"
import * as Result from "effect/Result"
import { type GraphQLResolveInfo, isInputObjectType, responsePathAsArray } from "graphql"
import { schema } from "./BlenderSchema.ts"
import { ask, type BridgeFailure, type Params } from "./Bridge.ts"
import * as Operations from "./Operations.ts"
import * as PlainValues from "./PlainValues.ts"
import * as QueryBounds from "./QueryBounds.ts"
import type { Run, SceneReads } from "./SceneReads.ts"
import * as Selection from "./Selection.ts"
import * as StepInputs from "./StepInputs.ts"
import * as StepReader from "./StepReader.ts"

/** What the resolvers of one document share. */
export interface Context {
  readonly services: Operations.Services
  readonly reads: SceneReads
  readonly run: Run
  /**
   * Values that were completed without the executor, by where they belong in the answer. It is given an empty list in
   * place of each.
   */
  readonly completed: Array<readonly [path: ReadonlyArray<string | number>, value: unknown]>
  /** The number of fields of objects in all lists so far. */
  listed: number
  /** The lists of objects by filters so far: each is read when those before it are counted. */
  lists: Promise<unknown>
  /** Runs an operation after the earlier ones have ended. */
  readonly inOrder: (operation: Effect.Effect<Operations.Payload>) => Promise<Operations.Payload>
}

/** GraphQL has checked arguments against the schema. */
// biome-ignore lint/suspicious/noExplicitAny: the types of arguments stand in schema.graphql
export type Resolver = (source: unknown, args: any, context: Context, info: GraphQLResolveInfo) => unknown

const hasPreview = (info: GraphQLResolveInfo) => Selection.fields(info).includes("preview")

const tooMuch: BridgeFailure = {
  code: "INVALID_INPUT",
  message: `The lists have more than ${QueryBounds.maxListed} fields.`,
  suggestions: ["Select fewer fields, or fewer lists, in one query."],
}

const hasResolvers = (type: string) => resolvers[type] !== undefined

/** Counts the fields of a list. The lists of a query are bounded together. */
const counted = (context: Context, fields: number) => {
  context.listed += fields
  return context.listed > QueryBounds.maxListed ? context.run(Effect.fail(tooMuch)) : undefined
}

const sceneContext: Resolver = async (_, __, context, info) => {
  const scene = await context.reads.scene(Selection.fields(info))
  const { materialValues } = scene
  return counted(context, Array.isArray(materialValues) ? materialValues.length * Selection.size(info) : 0) ?? scene
}

/** About how many values the settings of an object's modifiers have. */
const settingsSize = 100

/** A list of objects. The lists of a query may be large, and are bounded together. */
const listed =
  (
    read: (args: Params, reads: SceneReads, fields: ReadonlyArray<string>) => Promise<ReadonlyArray<Params>>,
  ): Resolver =>
  async (_, args, context, info) => {
    const { completed, reads, run } = context
    if (context.listed > QueryBounds.maxListed) return run(Effect.fail(tooMuch))
    const fields = Selection.fields(info)
    const found = await read(args, reads, fields)
    const each = Selection.size(info) + (fields.includes("modifierSettings") ? settingsSize : 0)
    const isOver = counted(context, found.length * each)
    if (isOver !== undefined) return isOver
    const [node, ...others] = info.fieldNodes
    const plan = others.length > 0 ? undefined : PlainValues.plan(info.returnType, node?.selectionSet, hasResolvers)
    const value = plan === undefined ? PlainValues.misfit : PlainValues.complete(plan, found)
    if (value === PlainValues.misfit) return found
    completed.push([responsePathAsArray(info.path), value])
    return []
  }

const selectedObjects = listed((_, reads, fields) => reads.selected(fields))

const found = listed((args, reads, fields) => reads.list({ ...args, fields: fields.length > 0 ? fields : ["name"] }))

const objects: Resolver = (source, args, context, info) => {
  const list = context.lists.then(() => found(source, args, context, info))
  context.lists = list.then(constVoid, constVoid)
  return list
}

const operation =
  (name: Operations.Name, more: (args: Operations.Input) => Params = () => ({})): Resolver =>
  (_, args, { inOrder, services }, info) =>
    inOrder(Operations.operations[name](services, { ...args, ...more(args) }, hasPreview(info)))

/** A value whose fields have resolvers of their own. */
const namespace: Resolver = () => ({})

/** The steps, as the schema describes them. */
const availableOperations = () => {
  const input = schema.getType("StepInput")
  return isInputObjectType(input)
    ? Object.values(input.getFields()).map(({ description, name }) => ({ name, description }))
    : []
}

export const resolvers: Readonly<Record<string, Readonly<Record<string, Resolver>>>> = {
  Query: { scene: namespace, execution: namespace, sceneContext, selectedObjects },
  SceneQuery: {
    context: sceneContext,
    selectedObjects,
    objects,
    availableOperations,
    object: (_, { name }, { reads }, info) => reads.object(name, Selection.fields(info)),
  },
  ExecutionQuery: { stats: (_, __, { services }) => services.stats.figures() },
  ExecutionStats: {
    queued: (_, __, { run, services }) => run(Effect.map(ask(services.bridge, "health", {}), ({ queued }) => queued)),
  },
  Mutation: {
    command: namespace,
    model: namespace,
    scene: namespace,
    executeNaturalCommand: operation("executeNatural"),
    executeWithContext: operation("executeNatural", () => ({ hasContext: true })),
    executeRawCommand: operation("executeRaw"),
  },
  CommandMutation: {
    executeNatural: operation("executeNatural"),
    executeWithContext: operation("executeNatural", () => ({ hasContext: true })),
    executeRaw: operation("executeRaw"),
    apply: operation("apply", ({ steps }) => ({ steps: Result.flatMap(StepInputs.read(steps), StepReader.read) })),
  },
  ModelMutation: { iterate: operation("iterate") },
  SceneMutation: {
    capturePreview: operation("capturePreview"),
    undo: operation("undo"),
    redo: operation("redo"),
    save: operation("save"),
    open: operation("open"),
    import: operation("import"),
    export: operation("export"),
    append: operation("append"),
    render: operation("render"),
  },
}
