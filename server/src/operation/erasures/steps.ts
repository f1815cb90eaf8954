import { addSeconds, type Op } from '../../kernel/operation/app.ts'
import { findCustomerOnRecord } from '../../people/customers/customers.ts'
import { extractUuid } from '../../storage/engine/ids.ts'
import { OWN_INSTRUCTIONS } from '../../storage/erasure/columns-of-payments.ts'
import { eraseAuditEvents, eraseCustomer, eraseMessageCounts } from '../../storage/erasure/erase-customer.ts'
import { eraseEventRecords, eraseEvents } from '../../storage/erasure/erase-events.ts'
import {
  eraseLoggedRequests,
  eraseStoredResponses,
  findNames,
  type Walked,
} from '../../storage/erasure/erase-logs.ts'
import { erasePayments } from '../../storage/erasure/erase-payments.ts'
import { eraseRailEvents } from '../../storage/erasure/erase-rail-events.ts'
import {
  eraseRows,
  isNeededByFiles,
  ROWS_MAX,
  ROWS_STATEMENTS,
  removeLostInstructions,
} from '../../storage/erasure/erase-rows.ts'
import { selectAccountIds } from './store.ts'

/** The person to erase. All ids except `customerId` are UUIDs as stored in the database. */
export interface Person {
  readonly customerId: string
  readonly customer: string
  readonly platform: string
  readonly accounts: readonly string[]
  readonly umaAddress: string
  readonly deletedAt: Date
  /** A pattern that matches the ids of the customer's records. */
  readonly names: string
}

/**
 * Erases one kind of data in small transactions. A step is idempotent. Each run continues `after` the
 * previous one; a result without `after` means that the step is done.
 */
export interface Step {
  readonly name: string
  /** The step runs when the erasure is requested, and again with all others. */
  readonly isEarly?: true
  run(op: Op, person: Person, after: string | undefined): Promise<Walked>
}

/** Finds a deleted customer; undefined if it does not exist or is not deleted. */
export async function findPerson(op: Op, customerId: string): Promise<Person | undefined> {
  const customer = await findCustomerOnRecord(op, customerId)
  if (!customer?.deleted_at) return undefined
  const accounts = await selectAccountIds(op, customerId)
  return {
    customerId,
    customer: extractUuid(customerId),
    platform: extractUuid(op.platform.id),
    accounts: accounts.map(extractUuid),
    umaAddress: customer.uma_address,
    deletedAt: customer.deleted_at,
    names: await findNames(op.db, extractUuid(customerId)),
  }
}

/** Instructions for a removed rail are kept this long, because it may be configured again. */
const LOST_AFTER_SECONDS = 30 * 24 * 3600

/** The names of the rails that write bank files. */
function listFileRailNames({ rails }: Op): string[] {
  return rails
    .list()
    .flatMap(({ name, entry }) => (entry?.kind === 'bank-files' && name !== null ? [name] : []))
}

/** Repeats a statement until it finds no more rows. */
function repeatUntilDone(erase: (op: Op, person: Person) => Promise<number>): Step['run'] {
  return async (op, person) => {
    const found = await erase(op, person)
    return found < ROWS_MAX ? { found } : { found, after: 'again' }
  }
}

const ROWS: readonly Step[] = ROWS_STATEMENTS.flatMap((statement, at) =>
  statement.by === 'customer'
    ? {
        name: `${statement.table} ${at}`,
        ...(statement.isEarly ? { isEarly: true as const } : {}),
        run: repeatUntilDone(({ db }, { customer }) => eraseRows(db, statement, customer)),
      }
    : [],
)

/**
 * The order matters: records that are found by personal data must be erased before that data, and other
 * customers' records that mention the customer before the customer.
 */
export const STEPS: readonly Step[] = [
  {
    name: 'messageCounts',
    isEarly: true,
    run: repeatUntilDone(({ db, now }, { customer }) => eraseMessageCounts(db, customer, now)),
  },
  ...ROWS.filter(({ isEarly }) => isEarly),
  {
    name: 'loggedRequests',
    isEarly: true,
    run: async (op, person, after) => {
      // Includes log entries that this process has not written yet.
      if (after === undefined) await op.requestLog.flush()
      return eraseLoggedRequests(op.db, person.platform, person, after)
    },
  },
  {
    name: 'payments',
    run: ({ db }, person, after) => erasePayments(db, person, after),
  },
  {
    name: 'instructions',
    run: async (op, { customer }) => ({
      found: await removeLostInstructions(op.db, customer, {
        rails: listFileRailNames(op),
        before: addSeconds(op.now, -LOST_AFTER_SECONDS),
      }),
      isWaiting: await isNeededByFiles(op.db, OWN_INSTRUCTIONS, customer),
    }),
  },
  {
    name: 'events',
    run: repeatUntilDone(({ db }, { customer, umaAddress }) => eraseEvents(db, customer, umaAddress)),
  },
  { name: 'eventRecords', run: repeatUntilDone(({ db }, { customer }) => eraseEventRecords(db, customer)) },
  ...ROWS.filter(({ isEarly }) => !isEarly),
  {
    name: 'keptAnswers',
    run: (op, person, after) => {
      const retention = { keptDays: op.storedResponseDays, origin: op.origin() }
      return eraseStoredResponses(op.db, person.platform, person, retention, after)
    },
  },
  { name: 'railEvents', run: ({ db }, person, after) => eraseRailEvents(db, person, after) },
  { name: 'auditEvents', run: repeatUntilDone(({ db }, { customer }) => eraseAuditEvents(db, customer)) },
  { name: 'customers', run: repeatUntilDone(({ db }, { customer }) => eraseCustomer(db, customer)) },
]
