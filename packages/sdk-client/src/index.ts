/**
 * Sessions with MCP servers, for the authors of provider packages.
 */
export * as AgentFacts from "./AgentFacts.ts"
export * as AgentOption from "./AgentOption.ts"
export * as AgentProfile from "./AgentProfile.ts"
export * as AgentServerCommand from "./AgentServerCommand.ts"
export * as AgentServerHttp from "./AgentServerHttp.ts"
export * as AgentServerProfile from "./AgentServerProfile.ts"
export * as Failure from "./Failure.ts"
export * as McpServerProbe from "./McpServerProbe.ts"
export * as McpWire from "./McpWire.ts"
export * as SdkMcpClient from "./SdkMcpClient.ts"
export * as SessionHost from "./SessionHost.ts"
export * as TransportFactory from "./TransportFactory.ts"
