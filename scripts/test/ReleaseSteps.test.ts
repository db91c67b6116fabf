import { tmpdir } from "node:os"
import { afterEach, describe, expect, it, vi } from "vitest"
import * as Steps from "../pack/Steps.ts"

afterEach(() => vi.unstubAllEnvs())

const steps = Steps.make(() => {}, new AbortController().signal)
const print = "process.stdout.write(JSON.stringify(process.env))"

describe("a program that pnpm pack:check runs", () => {
  it("knows none of the tokens of the one who runs it, and all that leads to the registry", async () => {
    const secret = {
      NPM_TOKEN: "1",
      GITHUB_TOKEN: "2",
      GH_TOKEN: "3",
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: "4",
      ACTIONS_ID_TOKEN_REQUEST_URL: "5",
      ACTIONS_RUNTIME_URL: "6",
      OPENAI_API_KEY: "7",
      AWS_SECRET_ACCESS_KEY: "8",
      "npm_config_//registry.example.com/:_authToken": "9",
      NODE_AUTH_TOKEN: "10",
      DB_PASSWORD: "11",
    }
    const needed = { npm_config_registry: "http://127.0.0.1/", HTTPS_PROXY: "http://127.0.0.1:1", LANG: "C" }
    for (const [name, value] of Object.entries({ ...secret, ...needed })) vi.stubEnv(name, value)
    const told = JSON.parse(await steps.run(process.execPath, ["-e", print], { cwd: tmpdir() }))
    expect(told).toMatchObject({ ...needed, PATH: process.env["PATH"] })
    expect(Object.keys(secret).filter((name) => name in told)).toEqual([])
  })

  it("has exactly what it is given, where it is given something", async () => {
    const env = { SOME_TOKEN: "1" }
    const told = JSON.parse(await steps.run(process.execPath, ["-e", print], { cwd: tmpdir(), env }))
    expect(told).toMatchObject(env)
    expect(told).not.toHaveProperty("PATH")
  })
})
