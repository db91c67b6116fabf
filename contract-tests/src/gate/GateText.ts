/**
 * A judgement for people: as text, and as Markdown for the summary of a run on GitHub.
 */
import type { Judged, JudgedSubject, Judgement } from "./ContractGate.ts"

const order = ["failed", "missing", "skipped", "proven"] as const

const count = (requirements: ReadonlyArray<Judged>, status: Judged["status"]) =>
  requirements.filter((each) => each.status === status).length

const sum = ({ requirements }: JudgedSubject) =>
  order
    .toReversed()
    .map((status) => `${count(requirements, status)} ${status}`)
    .join(", ")

const inOrder = (requirements: ReadonlyArray<Judged>) =>
  order.flatMap((status) => requirements.filter((each) => each.status === status))

/** One line for each requirement, what needs attention first. */
export const text = ({ ok, problems, subjects }: Judgement): string =>
  [
    ...subjects.flatMap((each) => [
      `${each.subject} (${each.provider}), ${each.file}`,
      ...each.problems.map((problem) => `  problem  ${problem}`),
      ...inOrder(each.requirements).flatMap(({ behaviour, id, status, why }) => [
        `  ${status.padEnd(7)}  ${id}: ${behaviour}`,
        ...why.map((line) => `           ${line}`),
      ]),
      `  ${sum(each)}`,
    ]),
    ...problems.map((problem) => `problem  ${problem}`),
    ok ? "The contract is proven." : "The contract is not proven.",
    "",
  ].join("\n")

/** The same as a table for each subject. */
export const markdown = ({ ok, problems, subjects }: Judgement): string =>
  [
    `### ${ok ? "✅ The contract is proven" : "❌ The contract is not proven"}`,
    "",
    ...bullets(problems),
    ...subjects.flatMap((each) => [
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

const marks = { failed: "❌", missing: "❌", skipped: "➖", proven: "✅" } as const

const bullets = (lines: ReadonlyArray<string>) =>
  lines.length === 0 ? [] : [...lines.map((line) => `- ${cell(line)}`), ""]

/** Text of tests in a table: no mark-up, no mention, no second line. */
const cell = (content: string) =>
  content.replaceAll(/\s+/g, " ").replaceAll(/[&<>|`*_[\]@#\\]/g, (mark) => `&#${mark.charCodeAt(0)};`)
