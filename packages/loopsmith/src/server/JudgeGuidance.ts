/**
 * The texts for clients' models: when to call which tool, what its numbers mean, and when to stop.
 */
import * as Rubric from "../Rubric.ts"

/** The names of the tools. */
export const evaluate = "evaluate_document"
export const suggest = "get_improvement_suggestions"

/** The score with which a document passes, and the maximum number of evaluations. */
export interface Goal {
  readonly targetScore: number
  readonly maxIterations: number
}

/** The `instructions` in the result of `initialize`. */
export const instructions = ({ maxIterations, targetScore }: Goal): string =>
  [
    `LoopSmith judges documents, so that you can write until they are good. A document passes with a score of ${targetScore} of 10.`,
    "When you write or revise a document (a README, a guide, API documentation, a design, a report), go on like this:",
    "1. Write the whole document.",
    `2. Call ${evaluate} with its whole text as \`content\`.`,
    `3. If \`pass\` is false, apply the \`suggestions\`, which come most valuable first, and call ${evaluate} again with the whole new text.`,
    `4. Stop when \`pass\` is true, or after ${maxIterations} evaluations. Then tell the user the last score, and what is left to improve.`,
    "The judge sees nothing but the text, and remembers nothing of earlier calls. An evaluation may take minutes; wait for it.",
    "If a call fails, its error says whether trying again may help. Without a score, say so; never make one up.",
  ].join("\n")

/** The description of `evaluate_document` in `tools/list`. */
export const ofEvaluate = ({ maxIterations, targetScore }: Goal): string =>
  [
    `Scores a document from 0 (useless) to 10 (cannot be better), as a whole and for ${Rubric.criteria.join(", ")}, and suggests what to change.`,
    `Call it when a document is written or revised. While \`pass\` is false (the score is under the target, ${targetScore} unless you give another), apply the suggestions and call it again with the whole new text, up to ${maxIterations} times in all.`,
    "Changes nothing, and may take minutes.",
  ].join(" ")

export const ofSuggest = [
  "Suggests what to change in a document, most valuable first, and tells its score from 0 to 10.",
  "Call it for advice alone: it knows no target, and is not counted as an iteration. With `previous_score` it also tells the gain since then.",
  `To write until a document is good, call ${evaluate}. Changes nothing, and may take minutes.`,
].join(" ")

const weight = (criterion: Rubric.Criterion) => ({ type: "number", minimum: 0, default: Rubric.defaults[criterion] })

const document = {
  content: {
    description: "The whole document as text, as it would be published: not a part of it, and not the path of a file.",
    minLength: 1,
  },
  rubric: {
    description:
      "How much each criterion counts, in any proportion. One that is left out keeps its default weight. Leave all of it out unless some criteria matter more to the user than others.",
    properties: Rubric.map(weight),
    additionalProperties: false,
  },
}

const score = { description: "Of the whole document, from 0 to 10." }
const suggestions = { description: "What to change, most valuable first." }

/** The descriptions of arguments and results, by tool and name. */
export const described = ({ targetScore }: Goal) => ({
  evaluate: {
    ...document,
    target_score: { description: "The score with which the document passes, from 0 to 10.", default: targetScore },
  },
  suggest: {
    ...document,
    previous_score: { description: "The score that an earlier version of the document got, from 0 to 10." },
  },
  evaluation: {
    score,
    rubric_scores: { description: "Of each criterion, from 0 to 10." },
    pass: { description: "Whether the score is at least the target. If so, stop." },
    suggestions,
    metadata: {
      description:
        "`iteration`: which evaluation since the last pass it is. `evaluation_time`: in milliseconds, with every attempt and every wait. `model_used`: who judged. `repaired`: what was wrong with the JSON of the judge, if it was repaired.",
    },
  },
  advice: {
    suggestions,
    score,
    gain: { description: "How much higher the score is than `previous_score`, where that was given." },
  },
})
