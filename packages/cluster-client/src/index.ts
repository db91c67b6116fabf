/**
 * The port over many machines.
 */
export * as ClusterMcpClient from "./ClusterMcpClient.ts"
export { type ClusterTls, ClusterTlsError } from "./ClusterTls.ts"
