#!/usr/bin/env node
import * as ServerMain from "@zain/agent-server/ServerMain"
import { command } from "./CodexServerCommand.ts"

ServerMain.run(command)
