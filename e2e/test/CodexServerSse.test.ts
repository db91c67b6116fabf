import { run } from "@zain/contract-tests/VitestRunner"
import * as Breadth from "../src/Breadth.ts"
import * as CodexCalls from "../src/CodexCalls.ts"
import * as ServerSubject from "../src/ServerSubject.ts"

run(await ServerSubject.make("codex", "sse", CodexCalls.models.unknown), Breadth.anotherWay)
