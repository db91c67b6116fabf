/** Two subjects in one file, one with a name that controls terminals, runners and tables. */
import { run } from "@zain/contract-tests/VitestRunner"
import { subject } from "../third-party/Parrot.ts"

run({ ...subject, name: "left" })
run({
  ...subject,
  name: "::error::right\n| @one [x](y) \u001b[31m",
  cannot: { usage: `No tokens.\n::error::It\u001b[31m ${"very ".repeat(200)}long` },
})
