/**
 * Names that the specification of LoopSmith fixes: the states and the events of its diagram, and environment variables.
 *
 * @see seed, state diagram; system page, Environment
 */

/**
 * The Japanese name of each state in the diagram of LoopSmith's specification. A loop without server and client has the
 * same states.
 */
export const states = {
  /** No client is connected, or the session or the call is over. */
  Idle: "待機中",
  /** A client connects; the MCP handshake is not complete. */
  Connecting: "接続中",
  /** The handshake is complete, or another iteration can begin. */
  Initialized: "初期化済み",
  /** A tool call has arrived, and its arguments are checked. */
  RunningTool: "ツール実行中",
  /** An evaluation is under way; it may be waiting for its turn. */
  Evaluating: "評価中",
  /** An attempt has started: the judge is reading the document. */
  RunningAgent: "Codex実行中",
  /** The judge has answered; its answer is being parsed as a JSON evaluation. */
  ParsingAnswer: "JSON解析中",
  /** The answer is a valid evaluation; its score is compared with the target. */
  Scoring: "スコア計算中",
  /** The score is below the target; the suggestions follow. */
  NeedsWork: "改善必要",
  /** The suggestions are returned to the caller of the tool; in a loop they go to the writer. */
  Suggesting: "改善提案生成",
  /** The score is at least the target: the document passes. */
  Passed: "完了",
  /** An attempt has failed, and it is decided whether another one follows. */
  HandlingError: "エラー処理",
  /** The gap before the next attempt is running. */
  Retrying: "再試行中",
  /** The last attempt has failed, or one that cannot be retried. */
  Failed: "失敗",
} as const

/**
 * The label of each event in the diagram of LoopSmith's specification. A loop without server and client emits the same
 * events.
 */
export const events = {
  /** A client opens a connection to the server. */
  connected: "WebSocket接続",
  /** The MCP handshake completes. */
  initialized: "initialize完了",
  /** A client calls one of the server's tools. */
  called: "tools/call",
  /**
   * The arguments of the tool call are valid, and the evaluation begins; `get_improvement_suggestions` needs one too.
   */
  evaluationAsked: "evaluate_document",
  /** The evaluator starts an attempt: it asks its agent for an evaluation. */
  agentStarted: "spawn process",
  /** The judge's answer has arrived, and is not parsed yet. */
  answered: "出力受信",
  /** The judge's answer was read as a valid evaluation. */
  parsed: "パース成功",
  /** The score is below the target; the suggestions follow. */
  belowTarget: "score < 8.0",
  /** The score is at least the target: the document passes. */
  targetReached: "score >= 8.0",
  /** The caller of the tool receives the suggestions. */
  suggested: "suggestions作成",
  /** The suggestions were returned, and the next iteration may begin. */
  continued: "次の反復",
  /** The call or the loop ends because the document has passed; the client's session may continue. */
  sessionEnded: "セッション終了",
  /** An attempt times out, or fails for another reason, such as an answer that cannot be used. */
  failed: "タイムアウト/エラー",
  /** The failure can be mended by another attempt, which follows after a gap. */
  retryable: "retryable=true",
  /** No attempt is left, or another one cannot help. */
  notRetryable: "retryable=false",
  /** The gap between two attempts is over. */
  backedOff: "バックオフ後",
  /** The caller of the tool receives the error of the last attempt. */
  errorAnswered: "エラー応答",
} as const

/** The variables that carry the name of the seed's judge; they apply to every agent that judges. */
export const variables = { timeout: "CODEX_TIMEOUT", maxBuffer: "CODEX_MAX_BUFFER" } as const
