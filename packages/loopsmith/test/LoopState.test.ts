import { assert, describe, it } from "@effect/vitest"
import * as LoopState from "@zain/loopsmith/LoopState"
import { Cause, Effect, Exit, Option } from "effect"
import fc from "fast-check"

/** The state diagram of the seed, arrow for arrow. */
const drawing = `stateDiagram-v2
    [*] --> 待機中: サーバー起動
    待機中 --> 接続中: WebSocket接続
    接続中 --> 初期化済み: initialize完了
    初期化済み --> ツール実行中: tools/call
    ツール実行中 --> 評価中: evaluate_document
    評価中 --> Codex実行中: spawn process
    Codex実行中 --> JSON解析中: 出力受信
    JSON解析中 --> スコア計算中: パース成功
    スコア計算中 --> 改善必要: score < 8.0
    スコア計算中 --> 完了: score >= 8.0
    改善必要 --> 改善提案生成: suggestions作成
    改善提案生成 --> 初期化済み: 次の反復
    完了 --> 待機中: セッション終了
    評価中 --> エラー処理: タイムアウト/エラー
    エラー処理 --> 再試行中: retryable=true
    エラー処理 --> 失敗: retryable=false
    再試行中 --> 評価中: バックオフ後
    失敗 --> 待機中: エラー応答`

const states = Object.keys(LoopState.states) as ReadonlyArray<LoopState.LoopState>
const events = Object.keys(LoopState.events) as ReadonlyArray<LoopState.LoopStateEvent>

const legal = states.flatMap((from) =>
  events.flatMap((event) => {
    const to = LoopState.transition(from, event)
    return Option.isSome(to) ? [`${from} ${event} ${to.value}`] : []
  }),
)

/** Applies events to a new machine, and returns the states that it entered. */
const walk = Effect.fnUntraced(function* (sequence: ReadonlyArray<LoopState.LoopStateEvent>) {
  const passed: Array<LoopState.LoopState> = [LoopState.initial]
  const happened = yield* LoopState.track((state) => Effect.sync(() => passed.push(state)))
  const exit = yield* Effect.exit(Effect.forEach(sequence, (event) => happened(event), { discard: true }))
  return { passed, exit }
})

describe("LoopState", () => {
  it("prints the seed's diagram as Mermaid", () => {
    assert.strictEqual(LoopState.toMermaid(), drawing)
  })

  it("has the transitions of the diagram and failures from nested states, and no others", () => {
    const drawn = LoopState.edges.map((edge) => edge.join(" "))
    const inner = ["RunningAgent failed HandlingError", "ParsingAnswer failed HandlingError"]
    assert.sameMembers(legal, [...drawn, ...inner])
    assert.lengthOf(drawn, 17)
  })

  it("dies at an invalid event and keeps its state, for any sequence of events", () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...events), { maxLength: 30 }), async (sequence) => {
        const { exit, passed } = await Effect.runPromise(walk(sequence))
        const expected: Array<LoopState.LoopState> = [LoopState.initial]
        for (const event of sequence) {
          const next = legal.find((edge) => edge.startsWith(`${expected.at(-1)} ${event} `))
          if (next === undefined) break
          expected.push(next.split(" ")[2] as LoopState.LoopState)
        }
        assert.deepStrictEqual(passed, expected)
        assert.strictEqual(Exit.isSuccess(exit), expected.length === sequence.length + 1)
        if (Exit.isFailure(exit)) assert.isTrue(Cause.hasDies(exit.cause))
      }),
    ))
})
