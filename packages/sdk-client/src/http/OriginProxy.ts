/**
 * Chooses the proxy of a URL by the environment: `http_proxy`, `https_proxy` and `no_proxy`, or the same in capitals.
 */
import { BlockList, isIP } from "node:net"

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Returns the URL of the proxy, as the environment gives it; `undefined` for a direct connection. Requests to this machine
 * never use a proxy.
 */
export const of = ({ hostname, port, protocol }: URL, env: Environment = process.env): string | undefined => {
  const http = env["http_proxy"] ?? env["HTTP_PROXY"]
  const proxy = protocol === "https:" ? (env["https_proxy"] ?? env["HTTPS_PROXY"] ?? http) : http
  if (proxy === undefined || proxy === "" || isLoopback(hostname)) return undefined
  const host = hostname.replace(/^\[(.+)\]$/, "$1").replace(/(?<=.)\.$/, "")
  const own = port === "" ? (protocol === "https:" ? "443" : "80") : port
  const excluded = (env["no_proxy"] ?? env["NO_PROXY"] ?? "").toLowerCase().split(/[\s,]+/)
  return excluded.some((entry) => isFor(entry, host, own)) ? undefined : proxy
}

/** The proxy of a URL for messages, without its credentials; empty for a direct connection. */
export const words = (url: URL): string => {
  const proxy = of(url)
  return proxy === undefined || !URL.canParse(proxy) ? "" : ` through the proxy ${new URL(proxy).origin}`
}

/** An entry: a host, a range or a pattern, and maybe a port. IPv6 with a port has brackets. */
const isFor = (entry: string, host: string, port: string): boolean => {
  const [, address, rest = "", at] = /^\[([^\]]+)\](\/\d+)?(?::(\d+))?$/.exec(entry) ?? []
  if (address !== undefined) return (at === undefined || at === port) && isHost(address + rest, host)
  const [, name, own] = /^([^:]+):(\d+)$/.exec(entry) ?? []
  return name === undefined ? isHost(entry, host) : own === port && isHost(name, host)
}

const isHost = (pattern: string, host: string): boolean => {
  if (pattern === "*") return true
  if (pattern.includes("/")) return isWithin(pattern, host)
  if (isIP(pattern) > 0) return isWithin(`${pattern}/${isIP(pattern) === 4 ? 32 : 128}`, host)
  // Such as 192.0.*
  if (pattern.endsWith(".*")) return isIP(host) === 4 && host.startsWith(pattern.slice(0, -1))
  if (pattern.startsWith("*.")) return host.endsWith(pattern.slice(1))
  const name = pattern.replace(/^\./, "").replace(/\.$/, "")
  return name !== "" && (host === name || host.endsWith(`.${name}`))
}

const isWithin = (range: string, host: string): boolean => {
  const [, address = "", bits = ""] = /^(.*)\/(\d{1,3})$/.exec(range) ?? []
  const family = isIP(address)
  if (family === 0 || isIP(host) !== family || Number(bits) > (family === 4 ? 32 : 128)) return false
  const list = new BlockList()
  list.addSubnet(address, Number(bits), family === 4 ? "ipv4" : "ipv6")
  return list.check(host, family === 4 ? "ipv4" : "ipv6")
}

const isLoopback = (hostname: string): boolean =>
  /^(.+\.)?localhost\.?$/.test(hostname) ||
  /^127\.\d+\.\d+\.\d+$/.test(hostname) ||
  /^\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\]$/.test(hostname) ||
  ["0.0.0.0", "[::]", "[::1]"].includes(hostname)
