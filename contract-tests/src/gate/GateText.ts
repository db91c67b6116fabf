/**
 * Formats a judgement as text, and as Markdown for the summary of a run on GitHub.
 */
import type { Judged, JudgedSubject, Judgement } from "./ContractGate.ts"

const order = ["failed", "missing", "excused", "proven"] as const

const count = (requirements: ReadonlyArray<Judged>, status: Judged["status"]) =>
  requirements.filter((each) => each.status === status).length

const sum = ({ requirements }: JudgedSubject) =>
  order
    .toReversed()
    .map((status) => `${count(requirements, status)} ${status}`)
    .join(", ")

const inOrder = (requirements: ReadonlyArray<Judged>) =>
  order.flatMap((status) => requirements.filter((each) => each.status === status))

/** The verdict, with the capabilities from which subjects are excused. */
const headline = ({ ok, subjects }: Judgement): string => {
  if (!ok) return "The contract is not proven"
  const holes = subjects.flatMap(({ excused, requirements, subject }) => {
    const some = count(requirements, "excused")
    const what = `${some} ${some === 1 ? "requirement" : "requirements"} that ${subject} is excused from, wholly or in part`
    return some === 0 ? [] : [`${what} (${excused.join(", ")})`]
  })
  return `The contract is proven${holes.length === 0 ? "" : `, but for ${holes.join("; ")}`}`
}

/** One line for each requirement: failed ones first, then missing, excused and proven. */
export const text = (judgement: Judgement): string =>
  [
    ...judgement.subjects.flatMap((each) => [
      `${each.subject} (${each.provider}), ${each.file}`,
      ...each.problems.map((problem) => `  problem  ${problem}`),
      ...inOrder(each.requirements).flatMap(({ behaviour, id, status, why }) => [
        `  ${status.padEnd(7)}  ${id}: ${behaviour}`,
        ...why.map((line) => `           ${line}`),
      ]),
      `  ${sum(each)}`,
    ]),
    ...judgement.problems.map((problem) => `problem  ${problem}`),
    `${headline(judgement)}.`,
    "",
  ].join("\n")

/** The same as one table for each subject. */
export const markdown = (judgement: Judgement): string =>
  [
    `### ${judgement.ok ? "✅" : "❌"} ${cell(headline(judgement))}`,
    "",
    ...bullets(judgement.problems),
    ...judgement.subjects.flatMap((each) => [
      `#### ${cell(each.subject)} (${cell(each.provider)}): ${sum(each)}`,
      "",
      ...bullets(each.problems),
      "| | requirement | behaviour | |",
      "| --- | --- | --- | --- |",
      ...inOrder(each.requirements).map(
        ({ behaviour, id, status, why }) =>
          `| ${marks[status]} ${status} | ${id} | ${cell(behaviour)} | ${why.map(cell).join("<br>")} |`,
      ),
      "",
    ]),
    "",
  ].join("\n")

const marks = { failed: "❌", missing: "❌", excused: "➖", proven: "✅" } as const

const bullets = (lines: ReadonlyArray<string>) =>
  lines.length === 0 ? [] : [...lines.map((line) => `- ${cell(line)}`), ""]

/** Escapes a text for a cell: no mark-up, no mention, no line break. */
const cell = (content: string) =>
  content.replaceAll(/\s+/g, " ").replaceAll(/[&<>|`*_[\]@#\\]/g, (mark) => `&#${mark.charCodeAt(0)};`)
