import { sql } from 'kysely'
import type { Op } from '../../kernel/operation/app.ts'
import { RAIL_EVENT_INITIAL } from '../../storage/rows/states.ts'

/** A line that waits because its amount differs from the total of the file that it names. */
export interface WaitingSum {
  /** The id of its report. */
  readonly id: string
  /** Signed, in smallest units. */
  readonly amount: string
  readonly currency: string
  /** `YYYY-MM-DD`. */
  readonly bookedOn: string
}

/** Selects waiting lines that book one of our files as a single sum. */
export function selectWaitingSums(op: Op, rail: string, messageName: string): Promise<WaitingSum[]> {
  return waitingLines(op, rail)
    .where('reason', '=', 'OTHER_AMOUNT')
    .where(sql<string>`body->'data'->>'file'`, '=', messageName)
    .select([
      sql<string>`body->>'id'`.as('id'),
      sql<string>`body->'data'->>'amount'`.as('amount'),
      sql<string>`body->'data'->>'currency'`.as('currency'),
      sql<string>`coalesce(body->'data'->'entry'->>'bookedOn', body->'data'->'entry'->>'valueOn', '1970-01-01')`.as(
        'bookedOn',
      ),
    ])
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** Selects up to two ids of waiting reports about lines with this amount and entry reference. */
export async function selectWaitingCredits(
  op: Op,
  rail: string,
  reference: string,
  amount: bigint,
): Promise<string[]> {
  const rows = await waitingLines(op, rail)
    .where('reason', 'in', ['OTHER_AMOUNT', 'UNKNOWN_DEPOSIT'])
    .where(sql<string>`body->'data'->>'amount'`, '=', String(amount))
    .where(sql<string>`body->'data'->'entry'->>'servicerReference'`, '=', reference)
    .select(sql<string>`body->>'id'`.as('id'))
    .limit(2)
    .execute()
  return rows.map(({ id }) => id)
}

function waitingLines(op: Op, rail: string) {
  return op.read
    .selectFrom('rail_events')
    .where('platform_id', '=', op.platform.id)
    .where('rail', '=', rail)
    .where('type', '=', 'file.booking')
    .where('state', '=', RAIL_EVENT_INITIAL)
}
