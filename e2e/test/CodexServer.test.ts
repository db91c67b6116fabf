import { run } from "@zain/contract-tests/VitestRunner"
import * as CodexCalls from "../src/CodexCalls.ts"
import * as ServerSubject from "../src/ServerSubject.ts"

run(await ServerSubject.make("codex", "stdio", CodexCalls.models.code))
