#!/usr/bin/env node
/**
 * The command `zain`, from its arguments to its exit code.
 */

// NO_COLOR is stronger than FORCE_COLOR. Node has it the other way round, and says so as soon as a module needs node:util.
if (process.env["NO_COLOR"]) delete process.env["FORCE_COLOR"]

const { start } = await import("./Start.ts")
start()
