#!/usr/bin/env node
import * as Main from "@zain/agent-server/Main"
import { command } from "./ClaudeCodeServerCommand.ts"

Main.run(command)
