/** Two subjects in one file, one of them with a name that means something to terminals, runners and tables. */
import { run } from "@zain/contract-tests/VitestRunner"
import { config, make, peer, silent, unreachable } from "../third-party/Parrot.ts"

const subject = { provider: "parrot", make, peer, config, unreachable, silent } as const
run({ ...subject, name: "left" })
run({
  ...subject,
  name: "::error::right\n| @one [x](y) \u001b[31m",
  cannot: { usage: `Nobody counts.\n::error::It\u001b[31m ${"very ".repeat(200)}long` },
})
