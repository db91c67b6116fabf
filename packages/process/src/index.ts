/**
 * Child processes: started with a named environment, read by lines, and ended with all their children.
 */
export * as ByteCollector from "./ByteCollector.ts"
export * as Environment from "./Environment.ts"
export * as FairReading from "./FairReading.ts"
export * as HostGuard from "./HostGuard.ts"
export * as JsonBounds from "./JsonBounds.ts"
export * as JsonRpc from "./JsonRpc.ts"
export * as LineFramer from "./LineFramer.ts"
export * as OwnedProcess from "./OwnedProcess.ts"
export * as PrivateDirectory from "./PrivateDirectory.ts"
export * as ProcessError from "./ProcessError.ts"
export * as ProcessTable from "./ProcessTable.ts"
export * as ProcessTree from "./ProcessTree.ts"
export * as ProgramName from "./ProgramName.ts"
export * as Redactor from "./Redactor.ts"
export * as StderrTail from "./StderrTail.ts"
