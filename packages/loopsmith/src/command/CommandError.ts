/**
 * Why a command does not do what it was asked for.
 */
import * as Schema from "effect/Schema"

/** `message`: what happened, to what, and what to do. */
export class CommandError extends Schema.TaggedError<CommandError>("@zain/loopsmith/CommandError")("CommandError", {
  message: Schema.String,
}) {}

/** What the operating system says of a file, in words. */
export const fileProblem = (cause: unknown): string => {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "for no known reason"
  return words[code] ?? code
}

const words: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or directory",
  ENOTDIR: "a part of its path is no directory",
  EISDIR: "it is a directory",
  EACCES: "access is denied",
  EPERM: "it is not permitted",
  ENOSPC: "the disk is full",
  EROFS: "the file system is read-only",
  ELOOP: "its links lead in a circle",
  ENAMETOOLONG: "its name is too long",
  EPIPE: "nobody reads it any more",
  ERR_STREAM_DESTROYED: "nobody reads it any more",
}
