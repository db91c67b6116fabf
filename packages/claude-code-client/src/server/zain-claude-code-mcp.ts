#!/usr/bin/env node
import * as ServerMain from "@zain/agent-server/ServerMain"
import { command } from "./ClaudeCodeServerCommand.ts"

ServerMain.run(command)
