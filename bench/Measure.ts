/**
 * Two ways to do the same work, measured in turns so that a machine that changes its speed changes it for both.
 */

/** What one block of calls took, per call and in microseconds. */
interface Block {
  readonly cpu: number
  readonly wall: number
}

/** The median and the spread of a figure. */
export interface Figure {
  readonly median: number
  readonly min: number
  readonly max: number
}

export interface Comparison {
  readonly ours: { readonly cpu: Figure; readonly wall: Figure }
  readonly theirs: { readonly cpu: Figure; readonly wall: Figure }
  /** Ours over theirs, block by block. */
  readonly ratio: { readonly cpu: Figure; readonly wall: Figure }
}

const block = async (calls: number, work: () => Promise<unknown>): Promise<Block> => {
  const cpu = process.cpuUsage()
  const started = performance.now()
  for (let count = 0; count < calls; count++) await work()
  const { system, user } = process.cpuUsage(cpu)
  return { cpu: (user + system) / calls, wall: ((performance.now() - started) * 1_000) / calls }
}

const figure = (values: ReadonlyArray<number>): Figure => {
  const sorted = [...values].sort((a, b) => a - b)
  return { median: sorted[sorted.length >> 1] ?? 0, min: sorted[0] ?? 0, max: sorted.at(-1) ?? 0 }
}

/**
 * @param blocks how many blocks of each, after two that do not count
 * @param calls how many calls a block has
 */
export const compare = async (
  { blocks, calls }: { readonly blocks: number; readonly calls: number },
  ours: () => Promise<unknown>,
  theirs: () => Promise<unknown>,
): Promise<Comparison> => {
  const pairs: Array<{ readonly ours: Block; readonly theirs: Block }> = []
  for (let index = -2; index < blocks; index++) {
    const oursFirst = index % 2 === 0
    const first = await block(calls, oursFirst ? ours : theirs)
    const second = await block(calls, oursFirst ? theirs : ours)
    if (index >= 0) pairs.push(oursFirst ? { ours: first, theirs: second } : { ours: second, theirs: first })
  }
  const of = (pick: (pair: (typeof pairs)[number]) => number) => figure(pairs.map(pick))
  return {
    ours: { cpu: of((pair) => pair.ours.cpu), wall: of((pair) => pair.ours.wall) },
    theirs: { cpu: of((pair) => pair.theirs.cpu), wall: of((pair) => pair.theirs.wall) },
    ratio: {
      cpu: of((pair) => pair.ours.cpu / pair.theirs.cpu),
      wall: of((pair) => pair.ours.wall / pair.theirs.wall),
    },
  }
}
