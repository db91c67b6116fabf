/**
 * The peer's program: a server that misbehaves in one named way. It imports nothing of the workspace, so that plain Node
 * runs it, from source and as built, and little else, as it starts hundreds of times.
 *
 * `FaultPeerProcess stdio <fault> <json> [shared]` serves over standard input and output; `FaultPeerProcess http <json>` serves
 * every fault over HTTP, prints its ports, and answers a line on its input with what it received.
 */
const [transport = "", first = "", second = "", kind] = process.argv.slice(2)

if (process.argv.includes("--version")) process.stdout.write(`${JSON.parse(second).dialect.version ?? "1.0.0"}\n`)
else if (transport === "http") await (await import("./OverHttp.ts")).main(first)
else {
  if (kind === "shared") await (await import("./Shared.ts")).adopt()
  const { main } = await import("./OverStdio.ts")
  main(first, second)
}
