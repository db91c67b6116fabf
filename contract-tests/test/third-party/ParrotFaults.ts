import { McpClientFaultSuite } from "@zain/contract-tests"
import { run } from "@zain/contract-tests/FaultRunner"
import { McpConnectionConfig } from "@zain/core"
import { make } from "./Parrot.ts"

const subject: McpClientFaultSuite.FaultSubject = {
  name: "parrot",
  provider: "parrot",
  make,
  config: (place) =>
    place.transport === "stdio"
      ? McpConnectionConfig.stdio({ command: place.command, args: [...place.args, "serve"], env: place.env })
      : McpConnectionConfig.streamableHttp({ url: place.url, headers: place.headers }),
  answer: { content: [{ type: "text", text: McpClientFaultSuite.answerText }] },
  transports: ["stdio"],
}
run(subject, "stdio")
