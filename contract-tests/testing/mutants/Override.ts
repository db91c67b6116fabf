/** Replaces one operation of an adapter: `change` receives the sound operation and its arguments. */
import type { McpClientAdapter } from "@zain/core/McpClientAdapter"
import type { McpThreads } from "@zain/core/McpThreads"

type Operation = "openSession" | "execute" | "closeSession" | "events" | "steer" | "stream"

const override =
  <Name extends Operation>(name: Name) =>
  (
    change: (
      sound: McpClientAdapter[Name],
      ...args: Parameters<McpClientAdapter[Name]>
    ) => ReturnType<McpClientAdapter[Name]>,
  ) =>
  (adapter: McpClientAdapter): McpClientAdapter => ({
    ...adapter,
    [name]: (...args: Parameters<McpClientAdapter[Name]>) => change(adapter[name], ...args),
  })

export const opening = override("openSession")
export const executing = override("execute")
export const closing = override("closeSession")
export const reading = override("events")
export const steering = override("steer")
/** Replaces operations on stored conversations. */
export const storing =
  (change: (threads: McpThreads) => Partial<McpThreads>) =>
  (adapter: McpClientAdapter): McpClientAdapter => ({
    ...adapter,
    threads: { ...adapter.threads, ...change(adapter.threads) },
  })
export const streaming = override("stream")
