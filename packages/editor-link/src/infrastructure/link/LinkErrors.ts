/**
 * The failures of a connection to an editor, in words.
 *
 * @see Failures
 */
import { release } from "node:os"
import {
  ConnectionError,
  type Delivery,
  DiscoveryError,
  ToolExecutionError,
  ValidationError,
} from "../../domain/DomainError.ts"
import type { Loss } from "./LinkState.ts"
import { address, launchedOf, type Target } from "./Target.ts"

/** What the words need to know. `startAdvice`: how a user starts the editor's side. */
export interface Subject {
  readonly title: string
  readonly startAdvice: string
  readonly target: Target
}

const discovery = (reason: DiscoveryError["reason"]) => (message: string) =>
  new DiscoveryError({ message, delivery: "not-sent", reason })
const connection = (delivery: Delivery) => (reason: ConnectionError["reason"]) => (message: string) =>
  new ConnectionError({ message, delivery, reason })
const [unsent, uncertain] = [connection("not-sent"), connection("unknown")]
const timeout = (message: string) => new ToolExecutionError({ message, delivery: "unknown", reason: "timeout" })

const isWsl = process.platform === "linux" && /microsoft/i.test(release())

const triedAgain = "The connection is tried again."
const ofWsl = isWsl
  ? " On WSL an editor of Windows has the address of the Windows host: name it with --editor HOST:PORT."
  : ""

/** An editor by where it is; one that is sought has no place that stays. */
const placed = (title: string, target: Target) => ("seek" in target ? title : `${title} at ${address(target)}`)

const adviceOf = ({ startAdvice, target }: Subject): string => launchedOf(target)?.startAdvice ?? startAdvice

const unreachable = (reason: "refused" | "connect-timeout", what: string) => (subject: Subject) =>
  discovery(reason)(
    `Cannot reach ${placed(subject.title, subject.target)}: ${what}. ${adviceOf(subject)} ${triedAgain}${ofWsl}`,
  )

/** @param problem why it is not known where the editor listens: a sentence */
export const notFound = (subject: Subject, problem: string) =>
  discovery("refused")(`Cannot reach ${subject.title}: ${problem} ${adviceOf(subject)} ${triedAgain}`)

/** @param code the system's name for the failure */
export const refused = (subject: Subject, code: string) =>
  unreachable("refused", code === "ECONNREFUSED" ? "connection refused" : code)(subject)

/** @param seconds how long it was tried */
export const connectTimeout = (subject: Subject, seconds: number) =>
  unreachable("connect-timeout", `connection timed out after ${seconds} s`)(subject)

/** @param seen what the peer did instead */
export const notThisEditor = ({ target, title }: Subject, seen: string) =>
  discovery("not-this-editor")(
    `The program at ${address(target)} is not ${title} as this profile knows it: ${seen}. Check the port (--editor HOST:PORT), and the profile: zain-editor-mcp list shows which editors answer.`,
  )

export const wrongProject = ({ target, title }: Subject, wanted: string, found: string) =>
  discovery("wrong-project")(
    `${placed(title, target)} has the project ${found} open; --project allows ${wanted} alone. Open that project, or change --project.`,
  )

const again = (delivery: Delivery) =>
  delivery === "not-sent"
    ? "The call was not sent: calling again is safe."
    : "The call was sent and its outcome is unknown: check the state of the editor before calling again."

const losses: Readonly<Record<Loss, string>> = {
  lost: "closed the connection",
  reloading: "is reloading its scripts",
  quitting: "was closed",
  garbage: "sent what cannot be read",
}

/** The editor was lost in a call. */
export const lost = ({ target, title }: Subject, loss: Loss, delivery: Delivery) =>
  connection(delivery)("lost")(
    `${placed(title, target)} ${losses[loss]}${delivery === "unknown" ? " during the call" : ""}. ${again(delivery)} ${triedAgain}`,
  )

/** @param seconds how long a call waited for the editor to come back; 0 where it did not wait */
export const away = (subject: Subject, loss: Loss, seconds: number) => {
  const { target, title } = subject
  const waited = seconds === 0 ? "" : `, and did not return within ${seconds} s (--grace)`
  return unsent("away")(
    `${placed(title, target)} ${losses[loss]}${waited}. ${again("not-sent")} ${adviceOf(subject)} ${triedAgain}`,
  )
}

/** @param seen what the editor sent */
export const garbage = ({ target, title }: Subject, seen: string) =>
  uncertain("garbage")(
    `${placed(title, target)} sent an invalid message: ${seen}. ${again("unknown")} The connection is opened anew.`,
  )

/** @param what what of the answer is too much */
export const overLimit = ({ title }: Subject, what: string) =>
  uncertain("over-limit")(
    `${title} answered with a message ${what}. The call was done; its answer was skipped. Request less at once.`,
  )

/** @param max how many calls may wait */
export const busy = ({ title }: Subject, max: number) =>
  unsent("busy")(`${max} calls are waiting for ${title}, and no more can. ${again("not-sent")} Wait for some to end.`)

/** The editor's main thread is busy with something else. */
export const occupied = ({ target, title }: Subject) =>
  unsent("busy")(
    `${placed(title, target)} is busy: it accepts connections and does not answer calls, as during an import or a dialog. ${again("not-sent")}`,
  )

export const closed = ({ title }: Subject) =>
  uncertain("closed")(`The connection to ${title} was closed because this server or its client is ending.`)

/** @param seconds the deadline of the call */
export const timedOut = ({ title }: Subject, method: string, seconds: number) =>
  timeout(
    `${method} timed out after ${seconds} s (--timeout). ${title} may still be running it: check its state before calling again.`,
  )

/** The editor does not answer anything any more. */
export const stuck = ({ target, title }: Subject, method: string) => {
  const what = launchedOf(target)
    ? `It was ended. The next call starts it again, with its scene from before ${method}.`
    : "It was left running: wait for it, or end it and start it again, which loses what is unsaved in it."
  return timeout(
    `${title} does not answer: ${method} timed out, and no other request was answered, as during code that cannot be interrupted. ${what}`,
  )
}

/** @param problem continues a sentence that begins with the call */
export const tooLarge = (method: string, problem: string) =>
  new ValidationError({
    message: `${method} was not sent: ${problem}`,
    delivery: "not-sent",
    reason: "too-large",
  })
