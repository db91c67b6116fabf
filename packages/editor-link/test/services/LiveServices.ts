/**
 * The seven services as a server has them, over an editor at the other end of a connection in memory.
 */
import { Context, Duration, Effect, Layer, Result } from "effect"
import { ClientCompatibilityService } from "../../src/application/ClientCompatibilityService.ts"
import type { Hello } from "../../src/domain/EditorProfile.ts"
import * as ClientCompatibility from "../../src/infrastructure/mcp/ClientCompatibility.ts"
import * as CatalogueCache from "../../src/infrastructure/services/CatalogueCache.ts"
import * as EditorSession from "../../src/infrastructure/services/EditorSession.ts"
import type { Setting } from "../../testing/domain/Setting.ts"
import { fourthEditor } from "../../testing/FourthEditor.ts"
import { ScriptedPeer } from "../../testing/link/ScriptedPeer.ts"
import type { AllServices, Controls, Reply } from "../domain/FakeServices.ts"

/** How the fourth editor writes a reply. */
const written = (reply: Reply) => (Result.isSuccess(reply) ? { ok: reply.success } : { no: reply.failure.message })

export const make = Effect.fnUntraced(function* ({ catalogue, client, grace }: Setting) {
  const peer = new ScriptedPeer()
  peer.isUp = false
  const answered = new Set<string>()
  const controls: Controls = {
    stall: () => {
      peer.takes = Duration.seconds(5)
    },
    come: (hello = {}) => {
      peer.greeting = hello
      peer.isUp = true
    },
    leave: (how) => {
      peer.isUp = false
      for (const { id } of peer.sent) answered.add(id)
      if (how === "quitting") peer.say({ notice: "quit" })
      peer.end()
    },
    report: (kind) => peer.say({ notice: { "tools-changed": "tools", reloading: "reload", quitting: "quit" }[kind] }),
    answer: (reply) => {
      const call = peer.sent.find(({ id }) => !answered.has(id))
      if (call === undefined) return
      answered.add(call.id)
      peer.say({ id: call.id, ...written(reply) })
    },
    sent: () => peer.sent.map((sent) => sent.do),
    connections: () => peer.connections,
  }
  const hello = { clientName: client.name, isDevelopment: false, wantsProject: false }
  const editor = yield* Layer.build(
    EditorSession.layer(
      {
        ...fourthEditor,
        catalogue,
        dialect: {
          ...fourthEditor.dialect,
          hello: (ask) => Effect.map(ask("hi", {}), (found) => Result.getOrElse(found, () => ({})) as Hello),
        },
      },
      {
        cache: CatalogueCache.none,
        keepsTools: false,
        projectRoot: undefined,
        timeout: undefined,
        link: { target: { host: "127.0.0.1", port: 4444 }, connect: peer.connect, hello, grace },
      },
    ),
  )
  const services: Context.Context<AllServices> = Context.add(
    editor,
    ClientCompatibilityService,
    ClientCompatibility.make(
      {
        clientName: "someone",
        clientRules: [{ name: client.name.toLowerCase(), asksAgain: client.asksAgain, maxTools: client.max }],
        toolNames: "auto",
        select: (tools, max) => tools.slice(0, max),
      },
      client,
    ),
  )
  return { controls, services }
})
