#!/usr/bin/env node
/**
 * The command `zain`, from its arguments to its exit code.
 */
import * as Program from "@zain/tool-server/Program"
import * as Main from "./Main.ts"

Program.ignoreLostReaders()
Program.run("zain", Main.main(process.argv.slice(2)))
