/** Two subjects in one file, one of them with a name that means something to terminals, runners and tables. */
import { run } from "@zain/contract-tests/VitestRunner"
import { subject } from "../third-party/Parrot.ts"

run({ ...subject, name: "left" })
run({
  ...subject,
  name: "::error::right\n| @one [x](y) \u001b[31m",
  cannot: { usage: `Nobody counts.\n::error::It\u001b[31m ${"very ".repeat(200)}long` },
})
