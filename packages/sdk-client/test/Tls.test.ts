import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { generate } from "selfsigned"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { handle } from "./HttpServer.ts"

const program = fileURLToPath(new URL("fixtures/open-https.ts", import.meta.url))
const directory = mkdtempSync(join(tmpdir(), "zain-tls-"))
const authority = join(directory, "authority.pem")
let end = () => {}
let url = ""

beforeAll(async () => {
  const { cert, private: key } = await generate([{ name: "commonName", value: "localhost" }], {
    extensions: [
      { name: "basicConstraints", cA: true },
      { name: "subjectAltName", altNames: [{ type: 2, value: "localhost" }] },
    ],
  })
  writeFileSync(authority, cert)
  const server = createServer({ cert, key }, handle())
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve))
  url = `https://localhost:${(server.address() as AddressInfo).port}/mcp`
  end = () => {
    server.close()
    server.closeAllConnections()
  }
})
afterAll(() => {
  end()
  rmSync(directory, { recursive: true })
})

const open = (env: NodeJS.ProcessEnv) => {
  const child = spawn(process.execPath, ["--conditions=zain-source", program, url], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, NODE_EXTRA_CA_CERTS: undefined, ...env },
  })
  return text(child.stdout)
}

describe("TLS, by the platform's own means", () => {
  it("a certificate that nobody vouches for is unreachable, and the message says why", async () => {
    expect(await open({})).toMatch(/is not trusted \((DEPTH_ZERO_)?SELF_SIGNED_CERT.*NODE_EXTRA_CA_CERTS/)
  })

  it("an authority in NODE_EXTRA_CA_CERTS vouches for its servers", async () => {
    expect(await open({ NODE_EXTRA_CA_CERTS: authority })).toBe("open")
  })
})
