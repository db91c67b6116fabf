#!/usr/bin/env node
import * as Main from "@zain/agent-server/Main"
/**
 * Codex as an MCP server.
 */
import { facts } from "../CodexFacts.ts"
import * as CodexAgent from "./CodexAgent.ts"

Main.run({ ...facts, name: facts.server, agent: CodexAgent.make })
