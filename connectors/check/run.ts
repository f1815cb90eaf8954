import { DEPOSITS } from './checks/deposits.ts'
import { ALL_EVENTS, EVENTS } from './checks/events.ts'
import { ACCOUNT_CHECKS, PAYMENTS, PULLS } from './checks/payments.ts'
import { INVALID_BODIES, SIGNATURES } from './checks/refusals.ts'
import { REPEATS, RESTARTS } from './checks/repeats.ts'
import { STATEMENTS } from './checks/statements.ts'
import { type Accounts, EXAMPLE_BANK_ACCOUNTS } from './kit/accounts.ts'
import type { Context } from './kit/context.ts'
import { Receiver } from './kit/receiver.ts'
import { type Group, type Result, runChecks } from './kit/report.ts'
import { Wire } from './kit/wire.ts'

/** All groups of checks, in order. The last ones check the results of all others. */
export const GROUPS: readonly Group<Context>[] = [
  PAYMENTS,
  PULLS,
  ACCOUNT_CHECKS,
  DEPOSITS,
  REPEATS,
  SIGNATURES,
  INVALID_BODIES,
  EVENTS,
  RESTARTS,
  STATEMENTS,
  ALL_EVENTS,
]

export interface CheckOptions {
  /** The connector's base URL. */
  readonly url: string
  /** One or two secrets (`whsec_…`), the current one first. */
  readonly secrets: readonly string[]
  readonly accounts?: Accounts
  /** The port on which to receive the connector's events, on any path. If absent, events are not checked. */
  readonly eventsPort?: number
  /** The address to listen on. Defaults to 127.0.0.1. */
  readonly eventsHost?: string
  readonly waitMs?: number
  readonly graceMs?: number
  /** The names of the groups to run. Defaults to all. */
  readonly groups?: readonly string[]
  readonly onResult?: (result: Result) => void
}

const RESPONSE_TIMEOUT_MS = 30_000

/** Runs the checks against a connector and returns their results. Throws if the connector is unreachable. */
export async function checkConnector(options: CheckOptions): Promise<Result[]> {
  const { url, secrets, eventsPort, eventsHost = '127.0.0.1' } = options
  const wire = new Wire(url, secrets, RESPONSE_TIMEOUT_MS)
  const receiver = eventsPort === undefined ? undefined : await Receiver.open(eventsHost, eventsPort, secrets)
  const context: Context = {
    url,
    wire,
    secrets,
    accounts: options.accounts ?? EXAMPLE_BANK_ACCOUNTS,
    receiver,
    waitMs: options.waitMs ?? 20_000,
    graceMs: options.graceMs ?? 500,
    movements: new Map(),
  }
  const groups = GROUPS.filter(({ name }) => options.groups?.includes(name) ?? true)
  try {
    await wire.call({ method: 'GET', path: '/balance' })
    return await runChecks(groups, context, options.onResult)
  } finally {
    wire.close()
    await receiver?.close()
  }
}
