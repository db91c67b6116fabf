/**
 * The neutral HTTP server, as a process of its own.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import type { HttpPeer } from "./clients/Client.ts"

/**
 * - `json`, `sse`: how it answers; it offers no stream of its own
 * - `open`: answers as `json` does, and offers a stream of its own
 */
export interface HttpServer {
  readonly json: HttpPeer
  readonly sse: HttpPeer
  readonly open: HttpPeer
  readonly end: () => Promise<unknown>
}

/** Starts a server. */
export const start = async (): Promise<HttpServer> => {
  const file = fileURLToPath(new URL("echo-http-server.mjs", import.meta.url))
  const child = spawn(process.execPath, [file], { stdio: ["pipe", "pipe", "inherit"] })
  const [printed] = await once(child.stdout, "data")
  const at = (path: string): HttpPeer => ({
    transport: "http",
    url: `http://127.0.0.1:${Number.parseInt(String(printed), 10)}/${path}`,
  })
  return {
    json: at("json"),
    sse: at("sse"),
    open: at("open"),
    end: () => {
      const exit = once(child, "exit")
      child.stdin.end()
      return exit
    },
  }
}
