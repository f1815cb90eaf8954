import { toJson } from '../../../base/json/json.ts'
import { NodeError, type NodeProblem } from '../../../kernel/ports/chain-nodes.ts'
import type { Log } from '../../../kernel/ports/log.ts'
import { NodeFailure } from './failure.ts'
import type { Node, NodeAlert } from './node.ts'

/** The minimum interval between identical alerts. */
const ALERT_EVERY_MS = 60_000

/** A response and the node that gave it. */
export interface Answered<T> {
  readonly node: Node
  readonly answer: T
}

interface Failed {
  readonly node: Node
  readonly failure: NodeFailure
}

/** The reported problem if no node responds, in order of precedence. */
const PROBLEMS: readonly (readonly [NodeProblem, NodeFailure['kind']])[] = [
  ['OTHER_CHAIN', 'OTHER_CHAIN'],
  ['OLD_BLOCK', 'OLD_BLOCK'],
  ['BEHIND', 'BEHIND'],
]

/**
 * Queries as many nodes as must agree, in order of preference, and replaces a node that fails with the next
 * one.
 */
export class Pool {
  readonly nodes: readonly Node[]
  readonly #agreement: number
  readonly #alert: (alert: NodeAlert) => void

  constructor(nodes: readonly Node[], agreement: number, alert: (alert: NodeAlert) => void) {
    this.nodes = nodes
    this.#agreement = agreement
    this.#alert = alert
  }

  /** Returns one node's response. Throws NodeError. */
  async one<T>(ask: (node: Node) => Promise<T>): Promise<T> {
    return (await this.answers(ask, this.nodes, 1))[0].answer
  }

  /**
   * Checks the chain id of every node, including standbys, and raises an alert for a wrong chain. Throws
   * NodeError.
   */
  async checkAll(): Promise<void> {
    const tried = await Promise.all(this.nodes.map((node) => tryNode(node, (one) => one.check())))
    const failed = tried.filter((one) => 'failure' in one)
    if (failed.length === tried.length) throw this.#noAnswer(failed)
  }

  /**
   * Returns a response that enough nodes agree on. Retries before it reports a disagreement. Throws
   * NodeError.
   */
  async findAgreement<T>(question: string, ask: (node: Node) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const [first, ...others] = await this.answers(ask)
      const other = others.find(({ answer }) => serialize(answer) !== serialize(first.answer))
      if (!other) return first.answer
      if (attempt === 2) throw this.disagreement(question, [first.node, other.node])
    }
  }

  /** Returns the responses of as many of these nodes as must agree. Throws NodeError. */
  async answers<T>(
    ask: (node: Node) => Promise<T>,
    nodes = this.nodes,
    count = this.#agreement,
  ): Promise<readonly [Answered<T>, ...Answered<T>[]]> {
    const left = [...nodes].sort((a, b) => a.restsUntilMs - b.restsUntilMs)
    const failed: Failed[] = []
    const tryNext = async (): Promise<Answered<T> | undefined> => {
      for (let node = left.shift(); node; node = left.shift()) {
        const tried = await tryNode(node, ask)
        if ('answer' in tried) return tried
        failed.push(tried)
      }
      return undefined
    }
    const answers = await Promise.all(Array.from({ length: count }, tryNext))
    const [first, ...others] = answers.filter((answer) => answer !== undefined)
    if (!first || others.length < count - 1) throw this.#noAnswer(failed)
    return [first, ...others]
  }

  #noAnswer(failed: readonly Failed[]): NodeError {
    const kinds = new Set(failed.map(({ failure }) => failure.kind))
    const problem = PROBLEMS.find(([, kind]) => kinds.has(kind))?.[0] ?? 'NO_ANSWER'
    const detail = failed.map(({ node, failure }) => `${node.name}: ${failure.message}`).join('; ')
    if (problem === 'NO_ANSWER') this.#alert({ kind: problem, node: 'all', detail })
    return new NodeError(problem, `Too few nodes respond: ${detail}`)
  }

  /** Two nodes contradict each other, and it is unknown which of them is wrong. */
  disagreement(question: string, nodes: readonly Node[]): NodeError {
    const node = nodes.map(({ name }) => name).join(', ')
    const detail = `Two nodes disagree on ${question}`
    this.#alert({ kind: 'DISAGREEMENT', node, detail })
    return new NodeError('DISAGREEMENT', `${detail}: ${node}`)
  }
}

/** Queries one node and records whether it works. */
async function tryNode<T>(node: Node, ask: (node: Node) => Promise<T>): Promise<Answered<T> | Failed> {
  try {
    const answer = await ask(node)
    node.noteSuccess()
    return { node, answer }
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error
    node.noteFailure(error)
    return { node, failure: error }
  }
}

/** Serializes a response for comparison. Works because the readers return properties in a fixed order. */
function serialize(answer: unknown): string {
  return answer === undefined ? '' : toJson(answer)
}

/** Creates an alert function that logs and reports, repeating identical alerts at most once a minute. */
export function alertOnce(
  log: Log,
  clock: () => Date,
  onAlert: ((alert: NodeAlert) => void) | undefined,
): (alert: NodeAlert) => void {
  const givenAtMs = new Map<string, number>()
  return (alert) => {
    const nowMs = clock().getTime()
    const name = `${alert.kind} ${alert.node}`
    if (nowMs < (givenAtMs.get(name) ?? Number.NEGATIVE_INFINITY) + ALERT_EVERY_MS) return
    givenAtMs.set(name, nowMs)
    log.error({ ...alert }, 'chain node untrusted or unreachable')
    onAlert?.(alert)
  }
}
