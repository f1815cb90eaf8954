import { toJson } from '../../../base/json/json.ts'
import { NodeError, type NodeProblem } from '../../../kernel/ports/chain-nodes.ts'
import type { Log } from '../../../kernel/ports/log.ts'
import { NodeFailure } from './failure.ts'
import type { Node, NodeAlert } from './node.ts'

/** The minimum interval between identical alerts. */
const ALERT_EVERY_MS = 60_000

/** A response and the node that gave it. */
export interface NodeResponse<T> {
  readonly node: Node
  readonly response: T
}

interface FailedNode {
  readonly node: Node
  readonly failure: NodeFailure
}

/** Problems in order of precedence, for reporting when too few nodes respond. */
const PROBLEMS: readonly (readonly [NodeProblem, NodeFailure['kind']])[] = [
  ['OTHER_CHAIN', 'OTHER_CHAIN'],
  ['OLD_BLOCK', 'OLD_BLOCK'],
  ['BEHIND', 'BEHIND'],
]

/**
 * Queries as many nodes as must agree, in order of preference. If a node fails, queries the next one instead.
 */
export class NodePool {
  readonly nodes: readonly Node[]
  readonly #agreement: number
  readonly #alert: (alert: NodeAlert) => void

  constructor(nodes: readonly Node[], agreement: number, alert: (alert: NodeAlert) => void) {
    this.nodes = nodes
    this.#agreement = agreement
    this.#alert = alert
  }

  /** Returns one node's response. Throws NodeError. */
  async queryOne<T>(query: (node: Node) => Promise<T>): Promise<T> {
    return (await this.queryNodes(query, this.nodes, 1))[0].response
  }

  /**
   * Checks the chain id of every node, including standbys, and raises an alert for a wrong chain. Throws
   * NodeError.
   */
  async checkAll(): Promise<void> {
    const results = await Promise.all(this.nodes.map((node) => tryNode(node, (checked) => checked.check())))
    const failed = results.filter((result) => 'failure' in result)
    if (failed.length === results.length) throw this.#createNodeError(failed)
  }

  /**
   * Returns a response that enough nodes agree on. Retries before it reports a disagreement. Throws
   * NodeError.
   */
  async findAgreement<T>(question: string, query: (node: Node) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const [first, ...others] = await this.queryNodes(query)
      const other = others.find(({ response }) => serialize(response) !== serialize(first.response))
      if (!other) return first.response
      if (attempt === 2) throw this.reportDisagreement(question, [first.node, other.node])
    }
  }

  /** Returns the responses of as many of these nodes as must agree. Throws NodeError. */
  async queryNodes<T>(
    query: (node: Node) => Promise<T>,
    nodes = this.nodes,
    count = this.#agreement,
  ): Promise<readonly [NodeResponse<T>, ...NodeResponse<T>[]]> {
    const remaining = [...nodes].sort((a, b) => a.cooldownUntilMs - b.cooldownUntilMs)
    const failed: FailedNode[] = []
    const tryNext = async (): Promise<NodeResponse<T> | undefined> => {
      for (let node = remaining.shift(); node; node = remaining.shift()) {
        const result = await tryNode(node, query)
        if ('response' in result) return result
        failed.push(result)
      }
      return undefined
    }
    const responses = await Promise.all(Array.from({ length: count }, tryNext))
    const [first, ...others] = responses.filter((response) => response !== undefined)
    if (!first || others.length < count - 1) throw this.#createNodeError(failed)
    return [first, ...others]
  }

  #createNodeError(failed: readonly FailedNode[]): NodeError {
    const kinds = new Set(failed.map(({ failure }) => failure.kind))
    const problem = PROBLEMS.find(([, kind]) => kinds.has(kind))?.[0] ?? 'NO_ANSWER'
    const detail = failed.map(({ node, failure }) => `${node.name}: ${failure.message}`).join('; ')
    if (problem === 'NO_ANSWER') this.#alert({ kind: problem, node: 'all', detail })
    return new NodeError(problem, `Too few nodes responded: ${detail}`)
  }

  /** Alerts that two nodes disagree, and returns the error to throw. */
  reportDisagreement(question: string, nodes: readonly Node[]): NodeError {
    const node = nodes.map(({ name }) => name).join(', ')
    const detail = `Two nodes disagree on ${question}`
    this.#alert({ kind: 'DISAGREEMENT', node, detail })
    return new NodeError('DISAGREEMENT', `${detail}: ${node}`)
  }
}

/** Queries one node and records whether it works. */
async function tryNode<T>(
  node: Node,
  query: (node: Node) => Promise<T>,
): Promise<NodeResponse<T> | FailedNode> {
  try {
    const response = await query(node)
    node.recordSuccess()
    return { node, response }
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error
    node.recordFailure(error)
    return { node, failure: error }
  }
}

/** Serializes a response for comparison. Works because the readers return properties in a fixed order. */
function serialize(response: unknown): string {
  return response === undefined ? '' : toJson(response)
}

/** Creates an alert function that logs and reports, repeating identical alerts at most once a minute. */
export function createAlerter(
  log: Log,
  clock: () => Date,
  onAlert: ((alert: NodeAlert) => void) | undefined,
): (alert: NodeAlert) => void {
  const alertedAtMs = new Map<string, number>()
  return (alert) => {
    const nowMs = clock().getTime()
    const name = `${alert.kind} ${alert.node}`
    if (nowMs < (alertedAtMs.get(name) ?? Number.NEGATIVE_INFINITY) + ALERT_EVERY_MS) return
    alertedAtMs.set(name, nowMs)
    log.error({ ...alert }, 'chain node untrusted or unreachable')
    onAlert?.(alert)
  }
}
