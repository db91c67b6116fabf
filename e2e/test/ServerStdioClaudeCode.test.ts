import * as ServerSubject from "../src/ServerSubject.ts"

await ServerSubject.hold("stdio", "claude-code")
