/**
 * One observed session through either face of the port.
 */
import { type McpClientAdapter, type McpConnectionConfig, McpPromiseClient, McpResult } from "@zain/core"
import { Effect, type Layer, type Scope } from "effect"

type Adapter = Effect.Effect<McpClientAdapter, never, Scope.Scope>

/** One session, and a turn for each prompt, through one face of the port, until all is closed and sent. */
type Face = (
  adapter: Adapter,
  config: McpConnectionConfig,
  prompts: ReadonlyArray<string>,
  telemetry: Layer.Layer<never>,
) => Effect.Effect<void>

export const faces: Readonly<Record<"Effect" | "Promise", Face>> = {
  Effect: (adapter, config, prompts, telemetry) =>
    Effect.gen(function* () {
      const client = yield* adapter
      const session = yield* client.openSession(config)
      for (const content of prompts) yield* client.execute(session, { content })
      yield* client.closeSession(session)
    }).pipe(Effect.withSpan("caller"), Effect.scoped, Effect.orDie, Effect.provide(telemetry)),
  Promise: (adapter, config, prompts, telemetry) =>
    Effect.promise(async () => {
      await using client = await McpPromiseClient.make(adapter, { telemetry })
      const session = McpResult.getOrThrow(await client.openSession(config))
      for (const content of prompts) McpResult.getOrThrow(await client.execute(session, content))
      McpResult.getOrThrow(await client.closeSession(session))
    }),
}
