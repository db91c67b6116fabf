/**
 * MCP's features of a server. One table has the capability and the methods of each.
 *
 * @see Model Context Protocol 2025-11-25, server features
 */
import type {
  CallToolRequest,
  CallToolResult,
  CompleteRequest,
  CompleteResult,
  GetPromptRequest,
  GetPromptResult,
  LoggingLevel,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  ServerCapabilities,
  ServerResult,
  Tool,
} from "@modelcontextprotocol/sdk/types.js"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { RequestContext, Said } from "./Peer.ts"
import { invalidParams, type ProtocolError } from "./ProtocolError.ts"
import { severities } from "./RequestShapes.ts"

interface Changing {
  /** Emits an element whenever the list has changed, for `list_changed`. */
  readonly changes?: Stream.Stream<unknown>
}

/** The tools of one client. */
export interface Tools extends Changing {
  /** Returns the current tools. */
  readonly list: () => ReadonlyArray<Tool>
}

/** The resources of one client. */
export interface Resources extends Changing {
  /** Returns the resources with fixed URIs. */
  readonly list: Effect.Effect<ReadonlyArray<Resource>, ProtocolError>
  /** Returns the templates of resource URIs; none by default. */
  readonly templates?: Effect.Effect<ReadonlyArray<ResourceTemplate>, ProtocolError>
  /** Returns the contents of a resource. */
  readonly read: (uri: string) => Effect.Effect<ReadResourceResult["contents"], ProtocolError>
  /** Emits the URI of each changed resource, or a predicate for several. If omitted, clients cannot subscribe. */
  readonly updates?: Stream.Stream<string | ((uri: string) => boolean)>
}

/** The prompts of one client. */
export interface Prompts extends Changing {
  /** Returns the prompts. */
  readonly list: Effect.Effect<ReadonlyArray<Prompt>, ProtocolError>
  /** Returns the messages of a prompt with these arguments. */
  readonly get: (name: string, args: Readonly<Record<string, string>>) => Effect.Effect<GetPromptResult, ProtocolError>
}

/** Returns the completions of an argument. */
export type Complete = (params: CompleteRequest["params"]) => Effect.Effect<CompleteResult["completion"], ProtocolError>

/** A message of the server's log. */
export interface LogMessage {
  readonly level: LoggingLevel
  /** The name of the part of the server that logs. */
  readonly logger?: string
  /** Any JSON value. */
  readonly data: unknown
}

/** The log of one client. */
export interface Logging {
  /** Emits every message; the session drops those below the client's level. */
  readonly messages: Stream.Stream<LogMessage>
  /** The lowest level that is sent to a client that has set none. `debug` by default. */
  readonly least?: LoggingLevel
}

/** The features of one client's session; an omitted feature is not declared. */
export interface Features {
  /** The tools; an array if they never change. */
  readonly tools?: ReadonlyArray<Tool> | Tools
  readonly resources?: Resources
  readonly prompts?: Prompts
  readonly completions?: Complete
  readonly logging?: Logging
}

/** The answer to a request: a value, or an effect that the client can cancel. */
export type Answer = ServerResult | Effect.Effect<ServerResult, ProtocolError>

/** Executes a tool call. */
export type CallTool = (
  params: CallToolRequest["params"],
  context: RequestContext,
) => Effect.Effect<CallToolResult, ProtocolError>

/** How a method of a feature is answered. */
interface Row<Given, State> {
  /** Whether the method exists for this feature; always if absent. */
  readonly isOffered?: (given: Given) => boolean
  readonly answer: (given: Given, params: never, state: State, context: RequestContext, callTool: CallTool) => Answer
}

/** A feature's capability and methods, in one place so that they always match. */
interface Feature<Given, State> {
  /** Makes the state of a session. */
  readonly state: (given: Given) => State
  /** The capability that `initialize` declares. */
  readonly capability: (given: Given) => object
  readonly methods: Readonly<Record<string, Row<Given, State>>>
  /** The notifications of the feature. */
  readonly notifications: (given: Given, state: State) => ReadonlyArray<Stream.Stream<Said>>
}

const changed = (
  { changes }: Changing,
  method: `notifications/${"tools" | "resources" | "prompts"}/list_changed`,
): ReadonlyArray<Stream.Stream<Said>> => (changes === undefined ? [] : [Stream.map(changes, () => ({ method }))])

const isFixed = (tools: ReadonlyArray<Tool> | Tools): tools is ReadonlyArray<Tool> => Array.isArray(tools)

const tools: Feature<ReadonlyArray<Tool> | Tools, void> = {
  state: () => {},
  capability: (given) => (isFixed(given) ? {} : { listChanged: given.changes !== undefined }),
  methods: {
    "tools/list": {
      answer: (given) => ({ tools: [...(isFixed(given) ? given : given.list())] }),
    },
    "tools/call": {
      answer: (_, params, __, context, callTool) => callTool(params, context),
    },
  },
  notifications: (given) => (isFixed(given) ? [] : changed(given, "notifications/tools/list_changed")),
}

/** How many resources a client may subscribe to, and how long the URI of one may be, in bytes. */
const maxSubscriptions = 256
const maxUriBytes = 4_096

interface OfUri {
  readonly uri: string
}

const resources: Feature<Resources, Set<string>> = {
  state: () => new Set(),
  capability: ({ changes, updates }) => ({ subscribe: updates !== undefined, listChanged: changes !== undefined }),
  methods: {
    "resources/list": {
      answer: ({ list }) => Effect.map(list, (all) => ({ resources: [...all] })),
    },
    "resources/templates/list": {
      answer: ({ templates = Effect.succeed([]) }) => Effect.map(templates, (all) => ({ resourceTemplates: [...all] })),
    },
    "resources/read": {
      answer: ({ read }, { uri }: OfUri) => Effect.map(read(uri), (contents) => ({ contents })),
    },
    "resources/subscribe": {
      isOffered: ({ updates }) => updates !== undefined,
      answer: (_, { uri }: OfUri, subscribed) => {
        if (Buffer.byteLength(uri) > maxUriBytes) {
          return Effect.fail(invalidParams(`\`params.uri\` exceeds ${maxUriBytes} bytes.`))
        }
        if (subscribed.size >= maxSubscriptions && !subscribed.has(uri)) {
          return Effect.fail(invalidParams(`A session can have ${maxSubscriptions} subscriptions at most.`))
        }
        subscribed.add(uri)
        return {}
      },
    },
    "resources/unsubscribe": {
      isOffered: ({ updates }) => updates !== undefined,
      answer: (_, { uri }: OfUri, subscribed) => {
        subscribed.delete(uri)
        return {}
      },
    },
  },
  notifications: (given, subscribed) => [
    ...changed(given, "notifications/resources/list_changed"),
    (given.updates ?? Stream.empty).pipe(
      Stream.flatMap((changed) => {
        if (typeof changed !== "string") return Stream.fromIterable([...subscribed].filter(changed))
        return subscribed.has(changed) ? Stream.make(changed) : Stream.empty
      }),
      Stream.map((uri) => ({ method: "notifications/resources/updated", params: { uri } })),
    ),
  ],
}

const prompts: Feature<Prompts, void> = {
  state: () => {},
  capability: ({ changes }) => ({ listChanged: changes !== undefined }),
  methods: {
    "prompts/list": {
      answer: ({ list }) => Effect.map(list, (all) => ({ prompts: [...all] })),
    },
    "prompts/get": {
      answer: ({ get }, { arguments: args = {}, name }: GetPromptRequest["params"]) => get(name, args),
    },
  },
  notifications: (given) => changed(given, "notifications/prompts/list_changed"),
}

const completions: Feature<Complete, void> = {
  state: () => {},
  capability: () => ({}),
  methods: {
    "completion/complete": {
      answer: (complete, params) => Effect.map(complete(params), (completion) => ({ completion })),
    },
  },
  notifications: () => [],
}

const logging: Feature<Logging, { least: number }> = {
  state: ({ least = "debug" }) => ({ least: severities.indexOf(least) }),
  capability: () => ({}),
  methods: {
    "logging/setLevel": {
      answer: (_, { level }: { readonly level: LoggingLevel }, state) => {
        state.least = severities.indexOf(level)
        return {}
      },
    },
  },
  notifications: ({ messages }, state) => [
    messages.pipe(
      Stream.filter(({ level }) => severities.indexOf(level) >= state.least),
      Stream.map((params) => ({ method: "notifications/message", params: { ...params } })),
    ),
  ],
}

const table = { tools, resources, prompts, completions, logging } as const

type Name = keyof typeof table

/** The names of the methods of some features. */
export const methodsOf = (names: ReadonlyArray<Name>): ReadonlySet<string> =>
  new Set(names.flatMap((name) => Object.keys(table[name].methods)))

/** The capabilities, methods and notifications of a session. */
export interface Offer {
  /** The capabilities of the session's features. */
  readonly capabilities: ServerCapabilities
  /** How each method is answered, by its name. */
  readonly methods: ReadonlyMap<string, (params: never, context: RequestContext) => Answer>
  /** The notifications of every feature. */
  readonly notifications: Stream.Stream<Said>
}

/** Makes the offer of a session with these features. */
export const offer = (features: Features, callTool: CallTool): Offer => {
  const names = (Object.keys(table) as ReadonlyArray<Name>).filter((name) => features[name] !== undefined)
  const offered = names.map((name) => {
    const feature = table[name] as Feature<unknown, unknown>
    const given: unknown = features[name]
    const state = feature.state(given)
    const methods = Object.entries(feature.methods)
      .filter(([, { isOffered }]) => isOffered?.(given) !== false)
      .map(([method, { answer }]) => {
        const of = (params: never, context: RequestContext) => answer(given, params, state, context, callTool)
        return [method, of] as const
      })
    return { name, capability: feature.capability(given), methods, notifications: feature.notifications(given, state) }
  })
  return {
    capabilities: Object.fromEntries(offered.map(({ capability, name }) => [name, capability])),
    methods: new Map(offered.flatMap(({ methods }) => methods)),
    notifications: Stream.mergeAll(
      offered.flatMap(({ notifications }) => notifications),
      { concurrency: "unbounded" },
    ),
  }
}
