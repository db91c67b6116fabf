import * as Breadth from "../src/Breadth.ts"
import * as ServerSubject from "../src/ServerSubject.ts"

await ServerSubject.hold("sse", Breadth.anotherWay)
