import { run } from "@zain/contract-tests/VitestRunner"
import * as Breadth from "../src/Breadth.ts"
import * as ServerSubject from "../src/ServerSubject.ts"

run(await ServerSubject.make("claude-code", "http"), Breadth.anotherWay)
