#!/usr/bin/env node
import * as Main from "@zain/agent-server/Main"
/**
 * Claude Code as an MCP server.
 */
import { facts } from "../ClaudeCodeFacts.ts"
import * as ClaudeCodeAgent from "./ClaudeCodeAgent.ts"

Main.run({ ...facts, name: facts.server, agent: ClaudeCodeAgent.make })
