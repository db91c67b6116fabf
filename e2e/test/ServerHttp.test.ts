import * as ServerSubject from "../src/ServerSubject.ts"

await ServerSubject.hold("http")
