/**
 * What the agents send that is no event of ours: it is emitted as `Raw`, or not at all, each for a reason.
 */

/** The names of a table, each with the reason that stands before them. */
const byName = (reasons: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(reasons).flatMap(([reason, names]) => names.split(" ").map((name) => [name, reason] as const)),
  )

/** Notifications of `codex app-server`. */
export const codex = byName({
  "it is about the user's machine or account, not about the turn":
    "account/gatewayOAuth/changed account/login/completed account/updated app/list/updated " +
    "mcpServer/oauthLogin/completed modelProvider/authRecoveryCompleted " +
    "modelProvider/authRecoveryStarted project/changed remoteControl/status/changed skills/changed " +
    "thread/readState/changed windows/worldWritableWarning windowsSandbox/setupCompleted",
  "no part of the work of a turn, and its form changes":
    "autoApprovalReview/strictReviewRequired hook/completed hook/started item/autoApprovalReview/completed " +
    "item/autoApprovalReview/started model/safetyBuffering/updated model/verification turn/moderationMetadata",
  "it is sent only for requests that Zain does not make":
    "command/exec/outputDelta externalAgentConfig/import/completed externalAgentConfig/import/progress fs/changed " +
    "fuzzyFileSearch/sessionCompleted fuzzyFileSearch/sessionUpdated mcpServer/event/stream/notification " +
    "process/exited process/outputDelta rawResponse/completed rawResponseItem/completed thread/archived " +
    "thread/attachment/updated thread/deleted thread/environment/connected thread/environment/disconnected " +
    "thread/name/updated thread/prediction/updated thread/project/updated thread/queue/changed " +
    "thread/realtime/closed thread/realtime/error thread/realtime/item/completed thread/realtime/item/started " +
    "thread/realtime/item/transcript/delta thread/realtime/itemAdded thread/realtime/outputAudio/delta " +
    "thread/realtime/sdp thread/realtime/started thread/realtime/transcript/delta thread/realtime/transcript/done " +
    "thread/reverted thread/search/partial thread/section/changed thread/unarchived",
  "a warning for people, shown as it is": "configWarning deprecationNotice guardianWarning warning",
  "what the agent types into its own terminal": "item/commandExecution/terminalInteraction",
  "another notification tells the same, or all of it":
    "item/fileChange/outputDelta item/fileChange/patchUpdated thread/compacted turn/diff/updated",
  "words of an MCP server, without a form": "item/mcpToolCall/progress",
  "it is a piece of what comes whole":
    "item/plan/delta item/reasoning/summaryPartAdded item/reasoning/summaryTextDelta",
  "what the model thinks word by word, which most models do not show": "item/reasoning/textDelta",
  "`ApprovalDecided` tells it": "serverRequest/resolved",
  "the turn has begun, ended or waits: other events tell":
    "thread/closed thread/goal/cleared thread/goal/updated thread/status/changed turn/completed turn/started",
  "the options of the session or of the turn, as its caller gave them": "thread/settings/updated",
  "`ThreadStarted` tells it, once the thread can be continued": "thread/started",
})

/** Items of `codex app-server`. */
export const codexItems = byName({
  "it is sent only for requests that Zain does not make": "enteredReviewMode exitedReviewMode",
  "another notification tells the same, or all of it": "functionCallOutput",
  "words of the user's own hook, for the model": "hookPrompt",
  "the text of a plan in plan mode, which is a message": "plan",
  "the agent waits: `Heartbeat` tells it": "sleep",
  "`SubagentStarted` tells it": "subAgentActivity",
  "the prompt, as its caller gave it": "userMessage",
})

/** Messages of Claude Code: their type, and what tells them apart within it. */
export const claudeCode = byName({
  "the words of a sub-agent": "assistant",
  "it is a piece of what comes whole":
    "stream_event/content_block_delta/input_json_delta stream_event/content_block_delta/signature_delta " +
    "stream_event/content_block_delta/thinking_delta stream_event/content_block_start/text " +
    "stream_event/content_block_start/thinking stream_event/content_block_start/tool_use " +
    "stream_event/content_block_stop stream_event/message_delta stream_event/message_start " +
    "stream_event/message_stop",
  "another notification tells the same, or all of it": "system/background_tasks_changed system/task_updated",
  "the turn has begun, ended or waits: other events tell": "system/init system/session_state_changed system/status",
  "the end of a command: `ToolFinished` tells it": "system/task_notification",
  "the start of a command: `ToolStarted` tells it": "system/task_started",
  "an estimate; `Usage` has the tokens": "system/thinking_tokens",
  "what Claude Code tells its model, such as a summary of the conversation": "user",
})
