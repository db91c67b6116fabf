/** The program's part that serves every fault over HTTP. */
import { createInterface } from "node:readline"
import { script } from "./Behaviour.ts"
import { httpBehaviours } from "./Everything.ts"
import * as HttpPeer from "./HttpPeer.ts"

/** @param given the good answer, and the secret to echo, as JSON */
export const main = async (given: string) => {
  const { answer, secret } = JSON.parse(given) as { readonly answer: string; readonly secret: string }
  const { closedPort, observe, port, reset } = await HttpPeer.listen(httpBehaviours, script(answer, secret))
  const print = (value: unknown) => void process.stdout.write(`${JSON.stringify(value)}\n`)
  print({ port, closedPort })
  const lines = createInterface({ input: process.stdin })
  lines.on("line", (line) => {
    const [command, fault = ""] = line.split(" ")
    if (command === "reset") reset()
    print(observe(fault))
  })
  lines.on("close", () => process.exit(0))
}
