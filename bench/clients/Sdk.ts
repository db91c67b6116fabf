/**
 * The official SDK's client and its transports, unchanged.
 */
import { Client as SdkClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { type Client, type MakeClient, maxMessageBytes, type Peer, type Session } from "./Client.ts"

/** Longer than any call of the bench; the SDK's own limit is a minute. */
const timeout = 600_000

const transportOf = (peer: Peer): StdioClientTransport | StreamableHTTPClientTransport =>
  peer.transport === "stdio"
    ? new StdioClientTransport({ command: peer.command, args: [...peer.args], maxBufferSize: maxMessageBytes })
    : new StreamableHTTPClientTransport(new URL(peer.url))

/** A client of the SDK for each session. Like ours, it ends a session with a DELETE. */
export const sdk: MakeClient = async (peer): Promise<Client> => ({
  open: async (onEvent): Promise<Session> => {
    const client = new SdkClient({ name: "bench", version: "0" })
    const transport = transportOf(peer)
    // The SDK's own types disagree under exactOptionalPropertyTypes: its transport has `sessionId: string | undefined`.
    await client.connect(transport as Transport)
    const options = onEvent === undefined ? { timeout } : { timeout, onprogress: onEvent }
    return {
      call: (prompt) => client.callTool({ name: "codex", arguments: { prompt } }, undefined, options),
      close: async () => {
        if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession()
        await client.close()
      },
    }
  },
  end: async () => {},
})
