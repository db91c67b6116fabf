/**
 * The requests for approval and their decisions, as schemas: they are sent between processes.
 *
 * @see docs/concepts/approvals.md
 */
import * as Schema from "effect/Schema"

/**
 * One file of a `file-change`, compared with the disk when the agent asks. Another program may change the file before
 * it is written.
 *
 * @see docs/internals/promises.md, 33
 */
export class McpFileChange extends Schema.Opaque<McpFileChange>()(
  Schema.Struct({
    /** The file, as in `paths` of the request. */
    path: Schema.String,
    /** `add`, `update`, `delete`, or `move` for a file that gets another name and possibly other content. */
    kind: Schema.Literals(["add", "update", "delete", "move"]),
    /** The new path of a `move`, as in `paths` of the request; absent for other kinds. */
    movedTo: Schema.optionalKey(Schema.String),
    /**
     * The hunks of a unified diff without file headers. One sentence with the sizes in bytes instead, where a file is not
     * text, is larger than 1 MiB, or cannot be read. Cut where all diffs of a request exceed 256 KiB, and the cut is
     * shown. Known secrets are redacted.
     */
    diff: Schema.String,
    /** Whether no file exists yet at the path that is written; absent where that is not known. */
    isNew: Schema.optionalKey(Schema.Boolean),
  }),
) {}

const text = (max: number) => Schema.String.check(Schema.isMaxLength(max))

/**
 * One question of an agent's model, or of an MCP server that the agent uses. All its texts are theirs.
 *
 * @see docs/guides/questions.md
 */
export class McpQuestion extends Schema.Opaque<McpQuestion>()(
  Schema.Struct({
    /** Identifies the question within its request: the answer stands under it. At most 64 characters. */
    id: text(64),
    /** A few words that name what it is about, at most 256 characters; absent if there are none. */
    header: Schema.optionalKey(text(256)),
    /** The question, at most 4,096 characters. */
    text: text(4_096),
    /** The choices, at most 64; empty for a question that is answered in own words. */
    options: Schema.Array(
      Schema.Struct({
        /** The answer that selects it, at most 256 characters. */
        label: text(256),
        /** What it means, at most 1,024 characters; absent if the asker does not explain it. */
        description: Schema.optionalKey(text(1_024)),
      }),
    ).check(Schema.isMaxLength(64)),
    /** Whether several options may be selected; absent if only one. */
    isMultiple: Schema.optionalKey(Schema.Boolean),
    /** Whether only the options are valid answers; absent if own words are, too. */
    isClosed: Schema.optionalKey(Schema.Boolean),
    /** Whether the answer is a secret, which no event and no `log` receives; absent if it is none. */
    isSecret: Schema.optionalKey(Schema.Boolean),
  }),
) {}

/**
 * What an agent asks to do, or asks its user. Decide by `kind`, the whole `command` and every one of `paths`, never by `message` or
 * `reason`: these are the agent's own text.
 *
 * @see docs/guides/approve-commands.md
 */
export class McpApprovalRequest extends Schema.Opaque<McpApprovalRequest>()(
  Schema.Struct({
    /**
     * `command`: to run a command. `file-change`: to write files. `permission`: to extend what the sandbox allows for a
     * while. `tool`: to use another tool, such as a web search or one of an MCP server. `question`: the agent asks
     * `questions`, and acts on their answers.
     */
    kind: Schema.Literals(["command", "file-change", "permission", "tool", "question"]),
    /** The question for people, in one sentence. It may hold text of the agent's: do not decide by it. */
    message: Schema.String,
    /**
     * The whole command line as the agent would run it; a `permission` or a `tool` may have one too. Absent if the
     * agent reports none.
     */
    command: Schema.optionalKey(Schema.String),
    /**
     * The absolute directory in which the agent would run the command or use the tool; relative `paths` are relative to
     * it. Absent if not known.
     */
    cwd: Schema.optionalKey(Schema.String),
    /** `"none"` if what is approved may run without the agent's sandbox, with all rights of the agent's user. */
    sandbox: Schema.optionalKey(Schema.Literal("none")),
    /**
     * The files of the request: those that a `file-change` writes, that a `permission` opens for reading or writing, or
     * that a `tool` names. Absolute, or relative to `cwd`; links in them are not resolved. Absent if the agent does not
     * report them; empty if there are none.
     */
    paths: Schema.optionalKey(Schema.Array(Schema.String)),
    /** The files that a `file-change` writes, with diffs. For people to read: rules decide by `paths`. */
    changes: Schema.optionalKey(Schema.Array(McpFileChange)),
    /** The agent's own name of the tool, such as `WebSearch` of Claude Code. */
    tool: Schema.optionalKey(Schema.String),
    /**
     * The arguments that the agent would pass to the tool, those of a `command` beside its line, or what a `permission`
     * asks for. Absent if not reported.
     */
    input: Schema.optionalKey(Schema.Unknown),
    /** What the agent asks with `kind: "question"`, at most 16 questions; absent for other kinds. */
    questions: Schema.optionalKey(Schema.Array(McpQuestion).check(Schema.isMaxLength(16))),
    /** Why the agent asks, in its own words: do not decide by it. */
    reason: Schema.optionalKey(Schema.String),
  }),
) {}

/** A decision that the agent must not do what it asked, and continues without. */
export class Decline extends Schema.Opaque<Decline>()(
  Schema.TaggedStruct("Decline", {
    /** Why, as the agent's model reads it, where the agent accepts a reason. Do not repeat text that an agent wrote. */
    reason: Schema.String,
  }),
) {}

/** The answers to the questions of a request with `kind: "question"`; any other request is then declined. */
export class Answer extends Schema.Opaque<Answer>()(
  Schema.TaggedStruct("Answer", {
    /**
     * The answers by the `id` of their question: labels of its options, or own words. A question may be left out. All
     * answers of a request have at most 65,536 characters.
     */
    answers: Schema.Record(Schema.String, Schema.Array(Schema.String)),
  }),
) {}

/**
 * The decision about one request.
 *
 * - `Approve`: this request only
 * - `ApproveForSession`: this request, and the same use until the session ends
 * - `Decline`: the agent must not do it, and continues without
 * - `Answer`: the answers to the questions of a request with `kind: "question"`, which has no other approval
 */
export const McpApprovalDecision = Schema.Union([
  Schema.TaggedStruct("Approve", {}),
  Schema.TaggedStruct("ApproveForSession", {}),
  Decline,
  Answer,
])
export type McpApprovalDecision = typeof McpApprovalDecision.Type
