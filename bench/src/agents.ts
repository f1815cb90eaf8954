import { AGENT_PAYMENT, type AgentPayer, makeAgentPayers } from './agent-payers.ts'
import { type AgentFigures, noAgentFigures, printAgents } from './agents-report.ts'
import { measureBudget } from './budget.ts'
import { after, type Connection, openConnections } from './connections.ts'
import { decisionTimes } from './decisions.ts'
import type { LoadOptions } from './load-report.ts'
import { measure, type Target } from './measure.ts'
import { Api, bodyOf, settleAll } from './payments.ts'
import { newPlace, type RunningProcess, readCredentials, startServer } from './server-process.ts'

const CONNECTIONS = 32
const AGENTS = 8
const WARM_UP_SECONDS = 1

/** The caller that creates and executes quotes: its server, its credentials and its payers. */
interface Caller {
  readonly prefix: string
  apiOf(payer: AgentPayer): Api
}

/** Measures calls of agents beside the same calls of the platform, in interleaved rounds. Prints tables. */
export async function runAgents(options: LoadOptions): Promise<void> {
  const place = await newPlace(options.database)
  const servers: RunningProcess[] = []
  try {
    const { server, baseUrl } = await startServer(place)
    servers.push(server)
    const credentials = readCredentials(place, baseUrl)
    const { port, pathname } = new URL(baseUrl)
    const platform = new Api(pathname, `${credentials.tokenId}:${credentials.clientSecret}`)
    const payers = await makeAgentPayers(credentials, AGENTS)
    const agents = new Map(payers.map((payer) => [payer, new Api(pathname, payer)]))
    const callers = {
      platform: { prefix: '', apiOf: () => platform },
      agent: { prefix: '/agents/me', apiOf: (payer: AgentPayer) => agents.get(payer)! },
    } satisfies Record<string, Caller>
    const connections = await openConnections(Number(port), CONNECTIONS)
    const target = { pid: server.pid, connections }

    const round = async (
      seconds: number,
      names: readonly (keyof typeof callers)[],
      figures: AgentFigures,
    ) => {
      for (const name of names) {
        figures[name].push(await payments(callers[name], target, payers, seconds))
        await settleAll(platform, connections[0]!)
      }
    }
    await round(WARM_UP_SECONDS, ['platform', 'agent'], noAgentFigures())
    const figures = noAgentFigures()
    // Alternates which one goes first.
    for (let n = 0; n < options.rounds; n++)
      await round(options.seconds, n % 2 === 0 ? ['platform', 'agent'] : ['agent', 'platform'], figures)

    const others: Connection[] = []
    if (options.database === 'postgres') {
      const second = await startServer(place)
      servers.push(second.server)
      others.push(...(await openConnections(Number(new URL(second.baseUrl).port), CONNECTIONS)))
    }
    const budget = await measureBudget(credentials, alternating(connections, others), options.seconds)
    for (const connection of [...connections, ...others]) connection.close()
    const setting = { connections: CONNECTIONS, agents: AGENTS, servers: servers.length }
    printAgents({ figures, decision: decisionTimes(), budget, options, setting })
  } finally {
    for (const one of servers) await one.stop()
    await place.remove()
  }
}

/** Each connection creates a quote, executes it, and continues with the next payer. */
function payments({ prefix, apiOf }: Caller, target: Target, payers: readonly AgentPayer[], seconds: number) {
  let begun = 0
  return measure(target, after(seconds), async (connection) => {
    const payer = payers[begun++ % payers.length]!
    const api = apiOf(payer)
    const quote = JSON.stringify({
      source: { sourceType: 'ACCOUNT', accountId: payer.accountId },
      destination: { destinationType: 'ACCOUNT', accountId: payer.bankAccountId },
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: Number(AGENT_PAYMENT),
    })
    const made = await bodyOf(connection.send(api.post(`${prefix}/quotes`, quote)), 201)
    const { id } = JSON.parse(made) as { id: string }
    const key = { 'Idempotency-Key': id }
    await bodyOf(connection.send(api.post(`${prefix}/quotes/${id}/execute`, undefined, key)), 200)
    return true
  })
}

/** Interleaves the two lists, so that requests in turn go to both. */
function alternating<T>(these: readonly T[], those: readonly T[]): T[] {
  return these.flatMap((one, n) => (those[n] === undefined ? [one] : [one, those[n]]))
}
