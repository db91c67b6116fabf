/**
 * The prompts among the messages of a client, and the cancels. A prompt is the argument `prompt` of a tool.
 */
import type { PeerObservation } from "@zain/contract-tests"

interface Message {
  readonly id?: string | number
  readonly method?: string
  readonly params?: {
    readonly requestId?: string | number
    readonly arguments?: { readonly prompt?: unknown }
  }
}

/**
 * Reads messages, each as text.
 *
 * @param saw receives every prompt and every cancel
 */
export const reader = (saw: (sighting: PeerObservation.Sighting) => void): ((text: string) => void) => {
  const prompts = new Map<string | number | undefined, string>()
  return (text) => {
    const { id, method, params } = parse(text)
    const prompt = params?.arguments?.prompt
    if (method === "tools/call" && typeof prompt === "string") {
      prompts.set(id, prompt)
      saw({ what: "received", prompt })
    }
    const cancelled = method === "notifications/cancelled" ? prompts.get(params?.requestId) : undefined
    if (cancelled !== undefined) saw({ what: "cancelled", prompt: cancelled })
  }
}

const parse = (text: string): Message => {
  try {
    return JSON.parse(text) as Message
  } catch {
    return {}
  }
}
