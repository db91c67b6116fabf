/**
 * Words that the seed fixes: what its drawing calls the states and the events, and its environment variables.
 *
 * @see seed, state diagram; system page, Environment
 */

/** What the states are called in the drawing. */
export const states = {
  Idle: "待機中",
  Connecting: "接続中",
  Initialized: "初期化済み",
  RunningTool: "ツール実行中",
  Evaluating: "評価中",
  RunningAgent: "Codex実行中",
  ParsingAnswer: "JSON解析中",
  Scoring: "スコア計算中",
  NeedsWork: "改善必要",
  Suggesting: "改善提案生成",
  Passed: "完了",
  HandlingError: "エラー処理",
  Retrying: "再試行中",
  Failed: "失敗",
} as const

/** What happens, by the names of the drawing. */
export const events = {
  connected: "WebSocket接続",
  initialized: "initialize完了",
  called: "tools/call",
  evaluationAsked: "evaluate_document",
  agentStarted: "spawn process",
  answered: "出力受信",
  parsed: "パース成功",
  belowTarget: "score < 8.0",
  targetReached: "score >= 8.0",
  suggested: "suggestions作成",
  continued: "次の反復",
  sessionEnded: "セッション終了",
  failed: "タイムアウト/エラー",
  retryable: "retryable=true",
  notRetryable: "retryable=false",
  backedOff: "バックオフ後",
  errorAnswered: "エラー応答",
} as const

/** The variables that are named after the judge that the seed has. */
export const variables = { timeout: "CODEX_TIMEOUT", maxBuffer: "CODEX_MAX_BUFFER" } as const
