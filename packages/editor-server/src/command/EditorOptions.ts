/**
 * The options of the command.
 */

import * as OptionTable from "@zain/command/OptionTable"
import * as OptionValue from "@zain/command/OptionValue"
import { languages } from "@zain/editor-link/domain/Language"
import * as ToolNames from "@zain/editor-link/domain/ToolNames"
import * as ClientRules from "@zain/tool-server/ClientRules"
import * as ServeOptions from "@zain/tool-server/ServeOptions"
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"

const { flag, many, one, oneOr } = OptionTable
const { duration, mebibytes, oneOf, text } = OptionValue

/** A duration; zero is one. */
const durationOrZero: OptionValue.Reader<Duration.Duration> = (name, given) =>
  /^0(ms|s|m|h|d)?$/.test(given.trim()) ? Result.succeed(Duration.zero) : duration(name, given)

const onOrOff: OptionValue.Reader<boolean> = (name, given) =>
  Result.map(oneOf(["on", "off"])(name, given), (word) => word === "on")

/** Where editors are, for every command. */
const reaching = {
  editor: many(
    "HOST:PORT",
    text,
    "where the editor listens (of blender also its process, or its bridge's file);\nseveral are NAME=HOST:PORT each, and every tool then takes `editor`; repeatable",
  ),
  project: one("DIR", text, "rejects an editor with another project open"),
}

export const options = {
  ...reaching,
  timeout: one(
    "TIME",
    duration,
    "how long a call may take (default: 30s; unity-loop: 3m, or the call's\nTimeoutSeconds and 10s)",
  ),
  "long-timeout": oneOr(
    "TIME",
    duration,
    Duration.minutes(15),
    "limit of tests, builds and videos with wait (default: 15m)",
  ),
  grace: oneOr(
    "TIME",
    durationOrZero,
    Duration.seconds(20),
    "how long calls wait, and tools stay, while the editor is away (default: 20s);\n0 clears the tools at once",
  ),
  "connect-wait": oneOr(
    "TIME",
    durationOrZero,
    Duration.seconds(2),
    "how long initialize waits for unknown tools while the editor is connected to\n(default: 2s); where nothing listens it does not wait",
  ),
  "sync-wait": oneOr(
    "TIME",
    durationOrZero,
    Duration.seconds(8),
    "the same for a client that does not ask for tools again (default: 8s)",
  ),
  "max-frame": oneOr("SIZE", mebibytes, 64 * 2 ** 20, "the largest message to or from the editor (default: 64MiB)"),
  ...ServeOptions.pipes,
  "client-rule": many(
    "RULE",
    ClientRules.parse,
    "how a client behaves; overrides the table of clients:\n'name@>=1.2=refetches,max-tools=100'; repeatable",
  ),
  "tool-names": oneOr(
    "STYLE",
    oneOf(ToolNames.styles),
    "auto",
    "how names with dots are listed: dots, underscores, or auto, which is dots for\nclients known to accept them (default: auto); calls work by either name",
  ),
  language: oneOr(
    "en|ja",
    oneOf(languages),
    "en",
    "the language of descriptions (default: en); tools of unity-loop are described\nby Unity",
  ),
  compact: flag("lists two tools alone, search_tools and call_tool"),
  "cache-dir": one("DIR", text, "where lists of tools are kept (default: $XDG_CACHE_HOME/zain/editor-server)"),
  "log-dir": one("DIR", text, "the directory of the log of MCP_DEBUG"),
  record: one("FILE", text, "writes every message to and from the editor to a new file"),
  replay: one("FILE", text, "answers calls from such a file, without an editor"),
  fake: flag("starts a fake editor in this process"),
}

/** Options that only profiles take that name them. */
export const ownOptions = {
  launch: flag("starts Blender without a window when a call needs it, and ends it with this server"),
  file: one("FILE", text, "the .blend file that --launch opens"),
  files: one("DIR", text, "the directory that files are read and written below, with --launch"),
  code: oneOr("on|off", onOrOff, true, "whether Python code of clients runs in Blender (default: on)"),
}

export const listening = ServeOptions.table(0)

export const checkOptions = {
  ...reaching,
  json: flag("prints the steps as JSON on standard output"),
}
