import { run } from "@zain/contract-tests/VitestRunner"
import * as CodexCalls from "../src/CodexCalls.ts"
import * as ServerSubject from "../src/ServerSubject.ts"

run(await ServerSubject.make("codex", "http", CodexCalls.models.tools))
