/** Clients that are broken in one way each: Codex's adapter, with something wrong around it. */
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inspect } from "node:util"
import { type ConnectionUnavailable, type McpApproval, McpError } from "@zain/core"
import type { McpClientAdapter } from "@zain/core/McpClientAdapter"
import type { McpConnectionConfig } from "@zain/core/McpConnectionConfig"
import type { McpSessionId } from "@zain/core/McpSessionId"
import type { McpTransport } from "@zain/core/McpTransport"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

/**
 * - `name`: a clause about the client
 * - `caughtBy`: the fault that must tell
 * - `says`: what the report must say of it
 * - `adapter`: what is wrong. `policy`: what it is made with
 */
export interface Mutant {
  readonly name: string
  readonly transport: McpTransport
  readonly caughtBy: string
  readonly says: RegExp
  readonly adapter: (adapter: McpClientAdapter) => McpClientAdapter
  readonly policy?: McpApproval.McpApprovalPolicy
}

const onError =
  (
    change: (
      error: McpError,
      again: Parameters<McpClientAdapter["execute"]>,
    ) => ReturnType<McpClientAdapter["execute"]>,
  ) =>
  (adapter: McpClientAdapter): McpClientAdapter => ({
    ...adapter,
    execute: (...args) => Effect.catch(adapter.execute(...args), (error) => change(error, args)),
  })

const changed = (
  change: (error: ConnectionUnavailable) => Partial<ConstructorParameters<typeof McpError.ConnectionUnavailable>[0]>,
) =>
  onError((error) => {
    if (error._tag !== "ConnectionUnavailable") return Effect.fail(error)
    const { delivery, message, reason } = error
    return Effect.fail(new McpError.ConnectionUnavailable({ delivery, message, reason, ...change(error) }))
  })

/** Does something when a session is opened, with the configuration. */
const onOpen =
  (act: (config: McpConnectionConfig) => void) =>
  (adapter: McpClientAdapter): McpClientAdapter => ({
    ...adapter,
    openSession: (config) =>
      Effect.suspend(() => {
        act(config)
        return adapter.openSession(config)
      }),
  })

const withConfig =
  (change: (config: McpConnectionConfig) => McpConnectionConfig) =>
  (adapter: McpClientAdapter): McpClientAdapter => ({
    ...adapter,
    openSession: (config) => adapter.openSession(change(config)),
  })

/** Remembers where each session leads. */
const reopening =
  (
    onLost: (
      adapter: McpClientAdapter,
      config: McpConnectionConfig,
      args: Parameters<McpClientAdapter["execute"]>,
    ) => ReturnType<McpClientAdapter["execute"]>,
  ) =>
  (adapter: McpClientAdapter): McpClientAdapter => {
    const configs = new Map<McpSessionId, McpConnectionConfig>()
    return {
      ...adapter,
      openSession: (config) =>
        Effect.tap(adapter.openSession(config), (id) => Effect.sync(() => configs.set(id, config))),
      execute: (...args) =>
        Effect.catch(adapter.execute(...args), (error) => {
          const config = configs.get(args[0])
          return config === undefined || error._tag !== "ConnectionUnavailable"
            ? Effect.fail(error)
            : onLost(adapter, config, args)
        }),
    }
  }

const secretsOf = ({ env, headers }: McpConnectionConfig) =>
  Object.values(env ?? headers ?? {})
    .map((secret) => (Redacted.isRedacted(secret) ? Redacted.value(secret) : secret))
    .join(" ")

/** An adapter whose errors hold the secret, in a place of the mutant's choice. */
const telling = (put: (secret: string) => Partial<ConstructorParameters<typeof McpError.ConnectionUnavailable>[0]>) => {
  let secret = ""
  const remember = onOpen((config) => {
    secret = secretsOf(config)
  })
  const tell = changed(() => put(secret))
  return (adapter: McpClientAdapter) => tell(remember(adapter))
}

const died = { transport: "stdio", caughtBy: "dies-exit-42" } as const
const healthy = { transport: "stdio", caughtBy: "healthy" } as const
const dropped = { transport: "streamable-http", caughtBy: "stream-ends" } as const

const initialize = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: {} })

const hoard: Array<Buffer> = []

/** Keeps the processor for itself; what a busy machine takes of it does not count. */
const standStill = () => {
  const before = process.cpuUsage()
  while (process.cpuUsage(before).user < 1_500_000);
}

const brokenErrors: ReadonlyArray<Mutant> = [
  {
    name: "shows the secret in a message",
    ...died,
    says: /shows the secret \(message\)/,
    adapter: telling((secret) => ({ message: `The server is gone, the token was ${secret}.` })),
  },
  {
    name: "shows the secret in a cause",
    ...dropped,
    says: /shows the secret \(inspect/,
    adapter: telling((secret) => ({ cause: new Error("below", { cause: { headers: [secret] } }) })),
  },
  {
    name: "writes long messages",
    ...died,
    says: /for people/,
    adapter: changed(({ message }) => ({ message: `${message} ${inspect(process.versions).repeat(3)}` })),
  },
  {
    name: "gives the wrong reason",
    ...died,
    says: /server-exited or connection-lost was due; it says stalled/,
    adapter: changed(() => ({ reason: "stalled" })),
  },
  {
    name: "says not-sent of a prompt that arrived",
    ...dropped,
    says: /The delivery unknown was due/,
    adapter: changed(() => ({ delivery: "not-sent" })),
  },
  {
    name: "dies instead of failing",
    ...died,
    says: /It ended with/,
    adapter: onError((error) => Effect.die(error)),
  },
  {
    name: "takes a failed turn for an answer",
    transport: "stdio",
    caughtBy: "is-error",
    says: /is-error was due, and it answers/,
    adapter: (adapter) => ({
      ...adapter,
      execute: (...args) => Effect.map(adapter.execute(...args), (answer) => ({ ...answer, isError: false })),
    }),
  },
]

const brokenLimits: ReadonlyArray<Mutant> = [
  {
    name: "hangs on a reset",
    transport: "streamable-http",
    caughtBy: "call-reset-mid-body",
    says: /struck call: it did not end within/,
    adapter: onError((error) => (error.reason === "connection-lost" ? Effect.never : Effect.fail(error))),
  },
  {
    name: "has its own idea of connectTimeout",
    transport: "stdio",
    caughtBy: "initialize-unanswered",
    says: /open: it did not end within/,
    adapter: withConfig((config) => ({ ...config, connectTimeout: 3_600_000 })),
  },
  {
    name: "reads messages of any size",
    transport: "streamable-http",
    caughtBy: "too-large",
    says: /message-too-large was due, and it answers/,
    adapter: withConfig((config) => ({ ...config, maxMessageBytes: 100 * 1024 * 1024 })),
  },
  {
    name: "reads messages of any shape",
    transport: "sse",
    caughtBy: "wide",
    says: /message-too-large was due, and it answers/,
    adapter: withConfig((config) => ({ ...config, maxMessageElements: 10_000_000 })),
  },
  {
    name: "stops the event loop",
    transport: "streamable-http",
    caughtBy: "stream-ends",
    says: /event loop stood still/,
    adapter: onError((error) => {
      standStill()
      return Effect.fail(error)
    }),
  },
  {
    name: "hoards memory",
    ...healthy,
    says: /Memory grew by/,
    adapter: onOpen(() => void hoard.push(Buffer.alloc(300 * 1024 * 1024))),
  },
]

const brokenEndings: ReadonlyArray<Mutant> = [
  {
    name: "sends a lost prompt again",
    ...dropped,
    says: /The prompt arrived 2 times/,
    adapter: reopening((adapter, config, [, request]) =>
      Effect.flatMap(adapter.openSession(config), (again) =>
        Effect.ensuring(adapter.execute(again, request), Effect.ignore(adapter.closeSession(again))),
      ),
    ),
  },
  {
    name: "follows redirects",
    transport: "streamable-http",
    caughtBy: "open-307-to-another-origin",
    says: /connections to another origin/,
    adapter: (adapter) => ({
      ...adapter,
      openSession: (config) =>
        Effect.andThen(
          Effect.promise(() => fetch(config.serverUrl, { method: "POST", body: initialize }).catch(() => {})),
          adapter.openSession(config),
        ),
    }),
  },
  {
    name: "restarts a server that died",
    ...died,
    says: /next call: .* was due, and it answers/,
    adapter: reopening((adapter, config, [, request]) =>
      request.content.includes("harmless")
        ? Effect.flatMap(adapter.openSession(config), (again) => adapter.execute(again, request))
        : adapter.execute("" as McpSessionId, request),
    ),
  },
  {
    name: "forgets a session instead of closing it",
    ...healthy,
    says: /After the session there are: process/,
    adapter: (adapter) => ({ ...adapter, closeSession: () => Effect.void }),
  },
  {
    name: "leaves a timer behind",
    ...healthy,
    says: /After the client there are: .* more Timeout/,
    adapter: onOpen(() => void setTimeout(() => {}, 3_600_000)),
  },
  {
    name: "leaves a directory behind",
    ...healthy,
    says: /temporary file zain-mutant/,
    adapter: onOpen(() => void mkdtempSync(join(tmpdir(), "zain-mutant-"))),
  },
  {
    name: "lets a rejection go",
    ...died,
    says: /Something escaped: an un.*: Error: nobody listens/,
    adapter: onError((error) => {
      void Promise.reject(new Error("nobody listens"))
      return Effect.fail(error)
    }),
  },
  {
    name: "talks to the console",
    ...died,
    says: /Something escaped: console\.warn: it died/,
    adapter: onError((error) => {
      // biome-ignore lint/suspicious/noConsole: it is what is wrong with it
      globalThis.console.warn("it died")
      return Effect.fail(error)
    }),
  },
  {
    name: "ends every session with the one that fails",
    ...died,
    says: /sibling: /,
    adapter: (adapter) => {
      const open = new Set<McpSessionId>()
      const endAll = Effect.suspend(() =>
        Effect.forEach([...open], (id) => Effect.ignore(adapter.closeSession(id)), { discard: true }),
      )
      return {
        ...adapter,
        openSession: (config) => Effect.tap(adapter.openSession(config), (id) => Effect.sync(() => open.add(id))),
        execute: (...args) => Effect.tapError(adapter.execute(...args), () => endAll),
      }
    },
  },
]

export const mutants: ReadonlyArray<Mutant> = [...brokenErrors, ...brokenLimits, ...brokenEndings]
