/**
 * JSON-RPC messages as texts.
 */

/** A message, as far as tests read it. */
export interface Message {
  readonly id?: string | number | null
  readonly method?: string
  readonly params?: { readonly message?: string }
  readonly result?: { readonly content?: ReadonlyArray<{ readonly text: string }>; readonly isError?: boolean }
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

export const request = (id: unknown, method: string, params: object = {}) =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params })

export const notification = (method: string, params: object = {}) => JSON.stringify({ jsonrpc: "2.0", method, params })

export const initialize = request("initialize", "initialize", {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "by hand", version: "0" },
})

export const initialized = notification("notifications/initialized")

export const call = (id: string | number, name: string, args: object = {}) =>
  request(id, "tools/call", { name, arguments: args })

/** A client's answer to an elicitation. */
export const accepted = (id: Message["id"]) => JSON.stringify({ jsonrpc: "2.0", id, result: { action: "accept" } })

export const textOf = (message: Message | undefined): string | undefined => message?.result?.content?.[0]?.text

/** A ping of exactly so many bytes, most of them of wide characters. */
export const sized = (bytes: number, id = 1) => {
  const room = bytes - request(id, "ping", { x: "" }).length
  return request(id, "ping", { x: "語".repeat(room / 3) + "x".repeat(room % 3) })
}
