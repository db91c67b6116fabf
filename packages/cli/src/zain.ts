#!/usr/bin/env node
/**
 * The command `zain`, from its arguments to its exit code.
 */

// NO_COLOR overrides FORCE_COLOR. Node does the opposite, and warns when a module loads node:util.
if (process.env["NO_COLOR"]) delete process.env["FORCE_COLOR"]

const { start } = await import("./Start.ts")
start()
