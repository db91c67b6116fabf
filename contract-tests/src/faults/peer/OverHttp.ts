/** The program's part that serves every fault over HTTP. */
import { createInterface } from "node:readline"
import { faults } from "../Faults.ts"
import { type Given, script } from "./Behaviour.ts"
import * as HttpPeer from "./HttpPeer.ts"

/** @param given the subject's answer and the secret, as JSON */
export const main = async (given: string) => {
  const { secret, ...settings } = JSON.parse(given) as Given & { readonly secret: string }
  const behaviours = new Map([["sibling", {}], ...faults.map(({ id, peer }) => [id, peer] as const)])
  const { closedPort, observe, port, reset } = await HttpPeer.listen(behaviours, script(settings, secret))
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
