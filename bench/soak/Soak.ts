/** The soak of one transport. */
import { CodexMcpClientAdapter } from "@zain/codex-client"
import { childrenOf } from "@zain/contract-tests/faults/Leftovers"
import * as McpPromiseClient from "@zain/core/McpPromiseClient"
import * as FakeAgent from "./FakeAgent.ts"
import * as Inventory from "./Inventory.ts"
import * as Load from "./Load.ts"
import * as Verdict from "./Verdict.ts"

/** `step`: shows a phase, and returns a function that counts its work. */
export interface Progress {
  readonly step: (what: string, total: number) => () => void
}

/** `lanes`: how many sessions are busy at once. A process costs more than a connection. */
const lanes: Readonly<Record<FakeAgent.Place, number>> = { stdio: 8, "streamable-http": 32, sse: 32, shared: 8 }

/** The warm-up, which loads and compiles everything before the first count. */
const warmUp = (count: number) => Math.max(10, Math.round(count / 10))

/**
 * Runs the work over one transport.
 *
 * @returns the inventories before and after, and their comparison
 */
export const run = async (
  transport: FakeAgent.Place,
  { executes, sessions }: { readonly executes: number; readonly sessions: number },
  progress: Progress,
): Promise<Verdict.Verdict> => {
  const agent = await FakeAgent.start(transport)
  const apart = childrenOf(process.pid)
  const bare = await Inventory.take(apart)
  const client = await McpPromiseClient.make(
    CodexMcpClientAdapter.make(transport === "shared" ? {} : { profile: "native" }),
  )
  const work = (done: () => void): Load.Work => ({ client, config: agent.config, lanes: lanes[transport], done })
  const timed = async (what: string, load: typeof Load.executes, count: number): Promise<Verdict.Phase> => {
    const started = performance.now()
    const failures = await load(count, work(progress.step(`${transport}: ${what}`, count)))
    return { count, failures, seconds: (performance.now() - started) / 1_000 }
  }
  const look = async (): Promise<Verdict.Look> => {
    const left = await settled(agent)
    return { ...(await Inventory.take(apart)), left }
  }

  const warm = [
    await timed("warm-up, executes", Load.executes, warmUp(executes)),
    await timed("warm-up, sessions", Load.sessions, warmUp(sessions)),
  ]
  const before = await look()
  const asked = await timed("executes", Load.executes, executes)
  const between = await look()
  const opened = await timed("sessions", Load.sessions, sessions)
  const after = await look()
  await client.close()
  const end = await look()
  await agent.stop()
  return Verdict.make({ transport, bare, before, between, after, end, warm, executes: asked, sessions: opened })
}

/**
 * In milliseconds. It only ends the wait for what never goes: an unused connection stays open for seconds, for
 * the next session.
 */
const patience = 60_000

const settled = async (agent: FakeAgent.FakeAgent): Promise<ReadonlyArray<string>> => {
  const limit = performance.now() + patience
  for (;;) {
    const left = await agent.left()
    if (left.length === 0 || performance.now() > limit) return left
    await new Promise((resume) => setTimeout(resume, 20))
  }
}
