/**
 * The findings of the checks, for people and programs: a row for each, with its status, its text, its cause and its fix.
 */

import { clip } from "@zain/command/TextWidth"
import { visible } from "@zain/core/TerminalText"
import type { AgentFacts } from "@zain/sdk-client/AgentFacts"
import * as ClientRules from "@zain/tool-server/ClientRules"
import * as Predicate from "effect/Predicate"

/** `problem`: something does not work. `warning`: it works, but may surprise its user. */
export const statuses = ["ok", "warning", "problem"] as const
export type Status = (typeof statuses)[number]

/** `what`: the fact, or the symptom. `fix`: the exact command or text. */
interface Row {
  readonly status: Status
  readonly what: string
  readonly cause?: string | undefined
  readonly fix?: string | undefined
}

/** Makes rows of a status. */
const of =
  (status: Status) =>
  (what: string, cause?: string, fix?: string): Row => ({ status, what, cause, fix })
const ok = of("ok")
const warning = of("warning")
const problem = of("problem")

type Capabilities = Readonly<Record<string, unknown>>
type Declarable = "tools" | "resources" | "prompts"

/** The rows by kind, in the order of docs/guides/doctor.md; what follows a dot is one of a kind's texts. */
const rows = {
  platform: ok,
  "platform.old": (text: string, oldest: string) =>
    problem(text, `Zain needs Node ${oldest} or later.`, "Install a current Node: https://nodejs.org"),
  "agent-missing": ({ install, program }: AgentFacts, isAskedFor: boolean) =>
    of(isAskedFor ? "problem" : "warning")(`${program} is not on PATH.`, undefined, install),
  "agent-missing.all": (agents: ReadonlyArray<AgentFacts>) =>
    problem(
      "No agent is installed.",
      `None of ${agents.map(({ program }) => program).join(", ")} is on PATH.`,
      agents.map(({ install }) => install).join(", or "),
    ),
  "agent-found": ok,
  "agent-version": ok,
  "agent-version.unknown": ({ install }: AgentFacts, what: string, isLate: boolean) =>
    problem(
      what,
      isLate
        ? "The program hangs, is another program of that name, or needs more time."
        : "The program does not run, or is another program of that name.",
      `${isLate ? "Raise --timeout, or " : ""}${install}`,
    ),
  "agent-version.without-node": (what: string, path: string) =>
    problem(
      what,
      `It is a script for Node, and no node is on PATH. zain runs with ${process.execPath}.`,
      `export PATH="$PATH:"${path}`,
    ),
  "agent-version.placeholder": ({ install }: AgentFacts, version: string) =>
    warning(
      `Its version is ${version}, a placeholder.`,
      "It was built from source, or is another program, so its version cannot be checked.",
      `${install}@latest`,
    ),
  "agent-version.old": ({ install, ownOnly, server }: AgentFacts, version: string) =>
    warning(`${version} is older than ${server} supports.`, ownOnly, `${install}@latest`),
  "agent-passed-over": ({ factory, install, program }: AgentFacts, folder: string) =>
    warning(
      `${program} in ${folder} is skipped.`,
      "That entry of PATH is relative, or belongs to the project around the working directory, whose files are " +
        "untrusted: zain starts no agent from there. In your own programs, local() follows PATH unchanged.",
      `If you trust it, pass its whole path: ${factory}.local({ command: "…" }); or install it for all: ${install}`,
    ),
  "agent-own-server": ok,
  "agent-protocol": ({ install, protocol, server }: AgentFacts, what: string, later: string) =>
    problem(
      what,
      `${server} requires it, so no turn can run.`,
      `Run "${protocol}" by hand and read its output; or ${later}${install}@latest`,
    ),
  "agent-config": problem,
  "agent-config.home": ({ home, logIn, title }: AgentFacts, path: string, make: string | undefined) =>
    problem(
      `${home} is ${path}, which is not a directory.`,
      `${title} does not start without its home directory.`,
      `unset ${home}, which restores the default${make === undefined ? "" : `; or ${make}, and log in with ${logIn}`}`,
    ),
  "agent-start": problem,
  "agent-start.ok": () => ok("It starts as for a turn."),
  "agent-key": (variable: string) =>
    warning(
      `The key of its model provider is read from ${variable}, which turns receive only if you pass it.`,
      "Zain passes listed variables only, and this is none of them.",
      `zain run --env ${variable}`,
    ),
  "agent-key.unset": (variable: string, isPassed: boolean) =>
    problem(
      `The key of its model provider is read from ${variable}, which is not set: every turn will fail.`,
      undefined,
      `export ${variable}=…${isPassed ? "" : `, and zain run --env ${variable}`}`,
    ),
  "agent-login": (how: string | undefined) => ok(`Logged in, by ${how}.`),
  "agent-login.not-needed": () =>
    ok("Not logged in, and requires no login: it is configured for another model provider."),
  "agent-login.elsewhere": ({ logIn }: AgentFacts) =>
    warning("Not logged in: a turn succeeds only where its model's own address asks for no login.", undefined, logIn),
  "agent-login.out": ({ logIn }: AgentFacts) => problem("Not logged in: every turn will fail.", undefined, logIn),
  "agent-login.unknown": ({ install }: AgentFacts) =>
    warning(
      "It does not report whether it is logged in.",
      "This version does not have the command.",
      `${install}@latest`,
    ),
  "agent-login.silent": ({ install, question }: AgentFacts, what: string, later: string) =>
    warning(
      `It does not report whether it is logged in: ${what}`,
      undefined,
      `Run ${question} status by hand and read its output; or ${later}${install}@latest`,
    ),
  "agent-trusts": ok,
  handshake: ok,
  "handshake.failed": problem,
  "wrong-framing": (what: string) =>
    problem(
      what,
      "It writes each message after a `Content-Length` header, as in the Language Server Protocol. MCP over stdio has one " +
        "JSON message a line, so clients read no message, time out, and show no capabilities and no tools.",
      "Write each message as one line, JSON.stringify(message) and a line feed, or use the stdio transport of an MCP SDK, " +
        "such as StdioServerTransport, instead of a library for language servers.",
    ),
  banner: (foreign: string) =>
    warning(
      `It writes to standard output what is not MCP: ${visible(foreign)}`,
      "Over stdio, standard output is for messages alone. Zain skips such lines; other clients may fail.",
      "Write banners and logs to standard error.",
    ),
  tools: ok,
  "tools-undeclared": (many: string, capabilities: Capabilities) =>
    problem(
      `It answers tools/list with ${many}, and declares none: clients show "Capabilities: none" and no tools.`,
      `\`initialize\` returns ${declared(capabilities)}. By MCP, clients request tools only if \`tools\` is declared; ` +
        'such clients never request them, and show "connected" and "Capabilities: none".',
      "Declare what is served and nothing else: capabilities: { tools: { listChanged: true } }, or { tools: {} } if the list never changes.",
    ),
  "tools-none": () =>
    warning(
      "It declares `tools`, and its list is empty.",
      "tools/list answers with an empty list.",
      "Check its configuration: many servers offer tools only after a login, or once a project is configured.",
    ),
  "tools-none.undeclared": () =>
    warning(
      'It declares nothing, and answers no tools/list: clients show "Capabilities: none".',
      "`initialize` returns capabilities: {}. By MCP, clients then request no lists.",
      "If it should have tools, register them and declare capabilities: { tools: { listChanged: true } }.",
    ),
  "tools-many": (many: string, clients: ReadonlyArray<string>) =>
    warning(
      `It has ${many}, more than ${listed(clients)} accept.`,
      "These clients omit tools, or ask users to, above their limit for all servers.",
      "Group the tools, or give the server an option that omits categories; in the client, disable unneeded tools.",
    ),
  "tool-schema": (faults: string) =>
    problem(
      `${faults}.`,
      'An `inputSchema` or `outputSchema` must be a JSON Schema of `type: "object"`. Otherwise ' +
        "clients with the official SDK reject the whole list, and models' APIs reject every request with the tool.",
      'Correct the schema. A tool without arguments has inputSchema: { "type": "object" }.',
    ),
  "tool-name": (faults: string) =>
    warning(
      `${faults}.`,
      `${listed(ClientRules.rejecting)} reject a list with a name that does not match ` +
        `\`${ClientRules.acceptedName.source}\`, or with a name twice. Other clients rename such a tool, or omit it.`,
      "Give each tool a unique name of these characters, such as scene_save instead of scene.save.",
    ),
  "list-incomplete": (many: string, method: string, how: string) =>
    warning(
      `It has at least ${many}: ${method} ${how}.`,
      "Clients that read every page wait long, or show part of the list.",
      `Omit nextCursor from the last page of ${method}.`,
    ),
  "list-changed-unsaid": (names: ReadonlyArray<string>) =>
    warning(
      `It sends ${listed(names.map((name) => `notifications/${name}/list_changed`))}, which it does not declare.`,
      `\`initialize\` has no \`listChanged: true\` in ${listed(names.map((name) => `\`${name}\``))}. Clients that ` +
        "follow the capabilities ignore the notification, and keep their old list.",
      `Declare it: capabilities: { ${names.map((name) => `${name}: { listChanged: true }`).join(", ")} }.`,
    ),
  "declared-not-served": (name: Declarable, said: string) =>
    problem(
      `It declares \`${name}\`, and ${name}/list ${said}: clients that request it show an error, or wait.`,
      `\`${name}\` in the capabilities, even as an empty object, means "supported, without further features", so clients request the list.`,
      name === "tools"
        ? "Answer tools/list, or omit `tools` from the capabilities."
        : `Omit \`${name}\` from the capabilities, such as capabilities: { tools: { listChanged: true } }, or answer ${name}/list.`,
    ),
  "declared-empty": (name: Declarable, capability: unknown) =>
    warning(
      `It declares \`${name}\`, and has none. Some clients then show "Capabilities: none"; others show its other features.`,
      `${name}/list answers with an empty list. ` +
        (isEmpty(capability)
          ? `\`${name}: {}\` is legal MCP and means "supported, without further features", but the feature is absent.`
          : "Legal MCP, but useful only if entries are added later."),
      `If the list is always empty, omit \`${name}\`, such as capabilities: { tools: { listChanged: true } }, ` +
        `and the handler of ${name}/list too: the SDK's assertRequestHandlerCapability rejects a handler without its capability.`,
    ),
  "handler-without-capability": (what: string, capability: string, method: string | undefined) =>
    problem(
      what,
      `It sets a handler for ${method} and does not declare \`${capability}\`: the SDK's assertRequestHandlerCapability throws when the server starts.`,
      `Remove the handler for ${method}, or declare capabilities: { ${capability}: {} } and serve it.`,
    ),
  "entry-invalid": (what: string, fix: string, cause?: string) => problem(what, cause, fix),
  "entry-ignored": (what: string, fix: string) => warning(what, undefined, fix),
  "entry-disabled": () => ok("It is disabled in its file."),
  "entry-variable-unset": (names: ReadonlyArray<string>) =>
    problem(
      `${names.length === 1 ? "A variable has" : "Variables have"} no value: ${names.join(", ")}.`,
      "The file names environment variables without a value, and the server would receive the names.",
      names.map((name) => `export ${name}=…`).join("; "),
    ),
  "entry-not-checked": (what: string, cause: string) => warning(what, cause),
}

const declared = (capabilities: Capabilities) =>
  isEmpty(capabilities)
    ? "capabilities: {}"
    : `capabilities: ${clip(JSON.stringify(capabilities), 400)}, without \`tools\``

const isEmpty = (value: unknown) => Predicate.isReadonlyObject(value) && Object.keys(value).length === 0

const conjunction = new Intl.ListFormat("en-GB")

/** `a, b and c`. */
const listed = (words: ReadonlyArray<string>): string => conjunction.format(words)

type Name = keyof typeof rows
type Facts = { readonly [N in Name]: Parameters<(typeof rows)[N]> }

/** The stable names of findings. docs/guides/doctor.md has a heading for each. */
export type Kind = Name extends infer N ? (N extends `${infer K}.${string}` ? K : N) : never

const kindOf = (name: string) => name.replace(/\..*/, "") as Kind
export const kinds = [...new Set(Object.keys(rows).map(kindOf))]

/** A finding about the agent, the server or the platform `subject`. `millis`: the time of the check, in ms */
export interface Finding extends Row {
  readonly kind: Kind
  readonly subject: string
  readonly millis?: number
}

/** The worst status; `ok` without findings. */
export const worst = (findings: ReadonlyArray<Finding>): Status =>
  findings.reduce<Status>(
    (worst, { status }) => (statuses.indexOf(status) > statuses.indexOf(worst) ? status : worst),
    "ok",
  )

const table: { readonly [N in Name]: (...facts: Facts[N]) => Row } = rows

/** Makes findings about one subject, from the name of a row and what its texts name. */
export const about =
  (subject: string) =>
  <N extends Name>(name: N, ...facts: Facts[N]): Finding => {
    const { status, ...texts } = table[name](...facts)
    return { kind: kindOf(name), status, subject, ...texts }
  }
