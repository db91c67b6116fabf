import { run } from "@zain/contract-tests/VitestRunner"
import * as ServerSubject from "../src/ServerSubject.ts"

run(await ServerSubject.make("claude-code", "sse"))
