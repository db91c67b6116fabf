/** Clients that are broken in one way each: Codex's adapter with one flaw around it. */
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inspect } from "node:util"
import { type ConnectionUnavailable, McpError } from "@zain/core"
import type { McpClientAdapter } from "@zain/core/McpClientAdapter"
import type { McpConnectionConfig } from "@zain/core/McpConnectionConfig"
import type { McpSessionId } from "@zain/core/McpSessionId"
import { Effect, Redacted, Semaphore } from "effect"
import { closing, executing, opening } from "../../../testing/mutants/Override.ts"
import { type Mutant, mutant, type Where } from "./Mutant.ts"

type Execute = McpClientAdapter["execute"]
type Failing = ConstructorParameters<typeof McpError.ConnectionUnavailable>[0]

const onError = (change: (error: McpError) => ReturnType<Execute>) =>
  executing((execute, ...args) => Effect.catch(execute(...args), change))

const changed = (change: (error: ConnectionUnavailable) => Partial<Failing>) =>
  onError((error) => {
    if (error._tag !== "ConnectionUnavailable") return Effect.fail(error)
    const { delivery, message, reason } = error
    return Effect.fail(new McpError.ConnectionUnavailable({ delivery, message, reason, ...change(error) }))
  })

/** Runs an action when a session opens, with its configuration. */
const onOpen = (act: (config: McpConnectionConfig) => unknown) =>
  opening((openSession, config) =>
    Effect.andThen(
      Effect.sync(() => act(config)),
      openSession(config),
    ),
  )

const withConfig = (change: (config: McpConnectionConfig) => McpConnectionConfig) =>
  opening((openSession, config) => openSession(change(config)))

/** Stores the configuration of each session. */
const reopening =
  (
    onLost: (adapter: McpClientAdapter, config: McpConnectionConfig, args: Parameters<Execute>) => ReturnType<Execute>,
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
            : (onLost(adapter, config, args) as never)
        }),
    }
  }

const secretsOf = ({ env, headers }: McpConnectionConfig) =>
  Object.values(env ?? headers ?? {})
    .map((secret) => (Redacted.isRedacted(secret) ? Redacted.value(secret) : secret))
    .join(" ")

/** An adapter whose errors hold the secret in one place. */
const telling = (put: (secret: string) => Partial<Failing>) => {
  let secret = ""
  const remember = onOpen((config) => {
    secret = secretsOf(config)
  })
  const tell = changed(() => put(secret))
  return (adapter: McpClientAdapter) => tell(remember(adapter))
}

const died: Where = ["stdio", "dies-exit-42"]
const healthy: Where = ["stdio", "healthy"]
const dropped: Where = ["streamable-http", "stream-ends"]

const initialize = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: {} })

const hoard: Array<Buffer> = []

/** Blocks for an amount of processor time, which a busy machine does not extend. */
const standStill = () => {
  const before = process.cpuUsage()
  while (process.cpuUsage(before).user < 1_500_000);
}

const brokenErrors: ReadonlyArray<Mutant> = [
  mutant("shows the secret in a message", died, /shows the secret \(message\)/, {
    adapter: telling((secret) => ({ message: `The server is gone, the token was ${secret}.` })),
  }),
  mutant("shows the secret in a cause", dropped, /shows the secret \(inspect/, {
    adapter: telling((secret) => ({ cause: new Error("below", { cause: { headers: [secret] } }) })),
  }),
  mutant("writes long messages", died, /must be a readable sentence/, {
    adapter: changed(({ message }) => ({ message: `${message} ${inspect(process.versions).repeat(3)}` })),
  }),
  mutant("gives the wrong reason", died, /Expected server-exited or connection-lost; it failed with stalled/, {
    adapter: changed(() => ({ reason: "stalled" })),
  }),
  mutant("reports not-sent for a prompt that arrived", dropped, /Expected delivery unknown/, {
    adapter: changed(() => ({ delivery: "not-sent" })),
  }),
  mutant("dies instead of failing", died, /It ended with/, { adapter: onError((error) => Effect.die(error)) }),
  mutant("reports a failed turn as an answer", ["stdio", "is-error"], /Expected is-error, but it ended with answers/, {
    adapter: executing((execute, ...args) => Effect.map(execute(...args), (answer) => ({ ...answer, isError: false }))),
  }),
]

const brokenLimits: ReadonlyArray<Mutant> = [
  mutant("hangs on a reset", ["streamable-http", "call-reset-mid-body"], /struck call: it did not end within/, {
    adapter: onError((error) => (error.reason === "connection-lost" ? Effect.never : Effect.fail(error))),
  }),
  mutant("ignores `connectTimeout`", ["stdio", "initialize-unanswered"], /open: it did not end within/, {
    adapter: withConfig((config) => ({ ...config, connectTimeout: 3_600_000 })),
  }),
  mutant(
    "reads messages of any size",
    ["streamable-http", "too-large"],
    /Expected message-too-large, but it ended with answers/,
    {
      adapter: withConfig((config) => ({ ...config, maxMessageBytes: 100 * 1024 * 1024 })),
    },
  ),
  mutant(
    "accepts messages with any number of values",
    ["sse", "wide"],
    /Expected message-too-large, but it ended with answers/,
    {
      adapter: withConfig((config) => ({ ...config, maxMessageElements: 10_000_000 })),
    },
  ),
  mutant("blocks the event loop", ["streamable-http", "stream-ends"], /event loop was blocked/, {
    adapter: onError((error) => {
      standStill()
      return Effect.fail(error)
    }),
  }),
  mutant("leaks memory", healthy, /Memory grew by/, {
    adapter: onOpen(() => hoard.push(Buffer.alloc(300 * 1024 * 1024))),
  }),
]

const brokenEndings: ReadonlyArray<Mutant> = [
  mutant("sends a lost prompt again", dropped, /The prompt arrived 2 times/, {
    adapter: reopening((adapter, config, [, request]) =>
      Effect.flatMap(adapter.openSession(config), (again) =>
        Effect.ensuring(adapter.execute(again, request), Effect.ignore(adapter.closeSession(again))),
      ),
    ),
  }),
  mutant("follows redirects", ["streamable-http", "open-307-to-another-origin"], /a request came to another origin/, {
    adapter: opening((openSession, config) =>
      Effect.andThen(
        Effect.promise(() => fetch(config.serverUrl, { method: "POST", body: initialize }).catch(() => {})),
        openSession(config),
      ),
    ),
  }),
  mutant("restarts a server that exited", died, /next call: Expected .*, but it ended with answers/, {
    adapter: reopening((adapter, config, [, request]) =>
      request.content.includes("harmless")
        ? Effect.flatMap(adapter.openSession(config), (again) => adapter.execute(again, request))
        : adapter.execute("" as McpSessionId, request),
    ),
  }),
  mutant("forgets a session instead of closing it", healthy, /Not released after the session: process/, {
    adapter: closing(() => Effect.void),
  }),
  mutant("leaves a timer behind", healthy, /Not released after the client: .* more Timeout/, {
    adapter: onOpen(() => setTimeout(() => {}, 3_600_000)),
  }),
  mutant("leaves a directory behind", healthy, /temporary file zain-mutant/, {
    adapter: onOpen(() => mkdtempSync(join(tmpdir(), "zain-mutant-"))),
  }),
  mutant("lets a rejection escape", died, /Escaped: an un.*: Error: not handled/, {
    adapter: onError((error) => {
      void Promise.reject(new Error("not handled"))
      return Effect.fail(error)
    }),
  }),
  mutant("writes to the console", died, /Escaped: console\.warn: it died/, {
    adapter: onError((error) => {
      // biome-ignore lint/suspicious/noConsole: it is the flaw
      globalThis.console.warn("it died")
      return Effect.fail(error)
    }),
  }),
  mutant("runs one call at a time", ["streamable-http", "stream-silent"], /sibling: an answer came after \d+ others/, {
    adapter: (adapter) => {
      const one = Semaphore.makeUnsafe(1)
      return { ...adapter, execute: (...args) => one.withPermits(1)(adapter.execute(...args)) }
    },
  }),
  mutant("ends every session when one fails", died, /sibling: /, {
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
  }),
]

export const mutants: ReadonlyArray<Mutant> = [...brokenErrors, ...brokenLimits, ...brokenEndings]
