#!/usr/bin/env node
/**
 * The command `zain-editor-mcp`, from its arguments to its exit code.
 */
process.stderr.write("zain-editor-mcp: not built yet\n")
