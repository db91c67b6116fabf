/**
 * Ends a host's agents when the host itself was killed.
 *
 * A host killed by SIGKILL runs no code. Its agents see the end of their input, but Codex in the middle of a turn stays
 * until the turn ends, which may be never. Therefore one small shell for each client reads a pipe from the host. When
 * the pipe closes without the line `q`, the shell ends the registered process groups, and on Linux every process that
 * carries the host's mark: that covers the moment between the start of a process and its registration.
 *
 * @see docs/internals/promises.md, 11 and 12; measured: codex 0.153.4 does not exit on end of input during a turn
 */
import { type ChildProcess, spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ProcessTable from "./ProcessTable.ts"
import * as ProcessTree from "./ProcessTree.ts"

/**
 * Cleans up when this program, the host, dies: ends the process groups and removes the directories that were
 * registered.
 */
export interface HostGuard {
  /**
   * The beginning of the value of `ZAIN_OWNER` in the environment of every process that is started with this guard.
   */
  readonly mark: string
  /** Starts the guard unless it runs; call it before each start of a process. A guard that was killed is replaced. */
  readonly begin: () => void
  /**
   * Registers a process group, which the guard ends after the host's death.
   *
   * @param pid the process that leads the group
   */
  readonly protect: (pid: number) => void
  /**
   * Unregisters a process group: its id may be reused after its end.
   *
   * @param pid the process id, as it was given to `protect`
   */
  readonly release: (pid: number) => void
  /**
   * Registers a directory, which the guard removes with its contents after the host's death. Starts the guard if
   * needed.
   *
   * @param path absolute, without line breaks
   */
  readonly protectDirectory: (path: string) => void
  /**
   * Unregisters a directory that its owner has removed.
   *
   * @param path the path, as it was given to `protectDirectory`
   */
  readonly releaseDirectory: (path: string) => void
}

/**
 * The service of the guard, which `OwnedProcess.start` and `PrivateDirectory.make` require; provide `layer` or
 * `unguarded`.
 */
export const HostGuard: Context.Service<HostGuard, HostGuard> = Context.Service("@zain/process/HostGuard")

/**
 * Its lists are strings with separators, so that registering takes no further program: starting one would dominate the
 * cost.
 */
const script = `
trap '' HUP INT TERM
newline='
'
groups=' '
directories=$newline
while IFS= read -r line; do
  group=" \${line#-} "
  directory="$newline\${line#D}$newline"
  case $line in
    +*) groups="$groups\${line#+} " ;;
    -*) case $groups in *"$group"*) groups="\${groups%%"$group"*} \${groups#*"$group"}" ;; esac ;;
    d*) directories="$directories\${line#d}$newline" ;;
    D*) case $directories in
          *"$directory"*) directories="\${directories%%"$directory"*}$newline\${directories#*"$directory"}" ;;
        esac ;;
    q) exit 0 ;;
  esac
done
marked() { grep -lsF -- "$1" /proc/[0-9]*/environ | sed 's|^/proc/||; s|/environ$||'; }
for group in $groups; do kill -s TERM -- "-$group"; done
for pid in $(marked "$1"); do kill -TERM "$pid"; done
turn=0
while [ $turn -lt 10 ]; do
  sleep 0.2
  turn=$((turn + 1))
  [ $turn -lt 6 ] && continue
  for group in $groups; do kill -s KILL -- "-$group"; done
  for pid in $(marked "$1"); do kill -KILL "$pid"; done
done
printf '%s' "$directories" | while IFS= read -r directory; do
  [ -z "$directory" ] || rm -rf -- "$directory"
done
`

/** What runs when this process exits. One listener for all guards: Node warns of more than ten. */
const atExit = new Set<() => void>()
const exit = () => {
  for (const kill of atExit) kill()
}
const add = (kill: () => void) => {
  if (atExit.size === 0) process.on("exit", exit)
  atExit.add(kill)
}
const remove = (kill: () => void) => {
  atExit.delete(kill)
  if (atExit.size === 0) process.removeListener("exit", exit)
}

/**
 * A guard for one client. It starts with the first process and ends with the Scope. On Windows only exits of the host
 * are covered.
 */
export const layer: Layer.Layer<HostGuard> = Layer.effect(
  HostGuard,
  Effect.acquireRelease(
    Effect.sync(() => guard()),
    ({ end }) => end,
  ),
)

/**
 * No guard, for processes that exit when their input ends: after the host's death they live until they have noticed
 * that.
 */
export const unguarded: Layer.Layer<HostGuard> = Layer.effect(
  HostGuard,
  Effect.sync(() => ({
    mark: newMark(),
    begin: () => {},
    protect: () => {},
    release: () => {},
    protectDirectory: () => {},
    releaseDirectory: () => {},
  })),
)

/** The longest inherited mark that is continued, in characters: about 100 hosts, each started by the one before. */
const maxInheritedLength = 4096

/**
 * A new mark. In a process that another host started it begins with that host's mark, so that the other host finds the
 * processes started here too. Other values of the variable are ignored: the guard signals every process whose
 * environment contains the mark.
 */
const newMark = (): string => {
  const inherited = process.env[ProcessTable.markName] ?? ""
  const isMark = inherited.length <= maxInheritedLength && /^[0-9a-f-]+(\.[0-9a-f-]+)*$/.test(inherited)
  return isMark ? `${inherited}.${randomUUID()}` : randomUUID()
}

/** How long the shell may not know of an end, in milliseconds: until then its id and its name are not given again. */
const latest = 100

const guard = (): HostGuard & { readonly end: Effect.Effect<void> } => {
  const mark = newMark()
  const protectedPids = new Set<number>()
  const directories = new Set<string>()
  let shell: ChildProcess | undefined

  const killAll = () => {
    for (const pid of protectedPids) ProcessTree.signalGroup(pid, "SIGKILL")
    ProcessTree.signal(ProcessTree.make(undefined, mark), "SIGKILL", ProcessTable.read())
  }
  /** What the shell does not know yet: a write wakes it, which costs more than several lines. */
  let lines = ""
  let soon: NodeJS.Immediate | undefined
  let late: NodeJS.Timeout | undefined
  const write = () => {
    clearImmediate(soon)
    clearTimeout(late)
    soon = late = undefined
    if (lines !== "" && shell?.stdin?.writable) shell.stdin.write(lines)
    lines = ""
  }
  const writeLate = () => {
    late ??= setTimeout(write, latest).unref()
  }
  const begin = () => {
    if (shell !== undefined) return
    add(killAll)
    if (process.platform === "win32") return
    shell = spawn("/bin/sh", ["-c", script, "zain-guard", `${ProcessTable.markName}=${mark}`], {
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
      env: { PATH: `${process.env["PATH"] ?? ""}:/usr/bin:/bin` },
    })
    const gone = () => {
      shell = undefined
    }
    shell.once("error", gone).once("exit", gone)
    shell.stdin?.on("error", () => {})
    shell.unref()
    ;(shell.stdin as { unref?: () => void } | null)?.unref?.()
    lines = ""
    for (const pid of protectedPids) lines += `+${pid}\n`
    for (const path of directories) lines += `d${path}\n`
    write()
  }
  const end = Effect.callback<void>((resume) => {
    remove(killAll)
    if (shell === undefined || shell.exitCode !== null || shell.signalCode !== null) return resume(Effect.void)
    shell.once("exit", () => resume(Effect.void))
    shell.once("error", () => resume(Effect.void))
    shell.ref()
    shell.stdin?.end("q\n")
  })

  return {
    mark,
    begin,
    protect: (pid) => {
      protectedPids.add(pid)
      lines += `+${pid}\n`
      write()
    },
    release: (pid) => {
      protectedPids.delete(pid)
      lines += `-${pid}\n`
      writeLate()
    },
    protectDirectory: (path) => {
      begin()
      directories.add(path)
      lines += `d${path}\n`
      // In most cases a process is started before, and written with it.
      soon ??= setImmediate(write)
    },
    releaseDirectory: (path) => {
      directories.delete(path)
      lines += `D${path}\n`
      writeLate()
    },
    end,
  }
}
