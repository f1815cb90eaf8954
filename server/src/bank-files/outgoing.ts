import { insert, update, type Write } from '../db/commit/writes.ts'
import type { BankDeskRow, BankFileRow, BankPaymentRow } from '../db/schema/bank-file-tables.ts'
import { BANK_FILE_INITIAL, BANK_FILE_TRANSITIONS, type RailPaymentEvent } from '../db/schema/states.ts'
import type { Op } from '../op/app.ts'
import { transition } from '../op/transition.ts'
import { tell } from '../rail-events/apply.ts'
import { decide, opOf } from '../rails/desk.ts'
import { findRailPayment, type Told } from '../rails/rail-payments.ts'
import { contentOf } from './content.ts'
import { deskIdOf } from './ids.ts'
import type { Desk } from './rail.ts'
import { selectOpenFiles, selectPaymentsOfFile, selectSettling, selectWaiting } from './store.ts'
import { effectiveDate, executionDate, madeOn, settlesAt } from './times.ts'
import { removeParts, takeWritingStep } from './writing.ts'

const PAGE = 200
const AT_ONCE = 25
const PAYMENTS_MAX = 10_000
const TRACES_MAX = 9_999_999n
const ACH_TOTAL_MAX = 999_999_999_999n
const SETTLED_AFTER_DAYS = 3
const ATTEMPT_BYTES = 6

/** Brings every file of the rail to its end, in the order of their numbers, from wherever each is. */
export async function finishFiles(desk: Desk): Promise<void> {
  for (;;) {
    const op = await opOf(desk)
    const [file] = await selectOpenFiles(op, desk.rail.name)
    if (!file) return
    if (file.state === 'COLLECTING') await collect(desk, file)
    else if (file.state === 'WRITTEN') await acceptAll(desk, file)
    else await write(desk, op, file)
  }
}

/** Opens the next file, if a payment waits that was there at `until`. Says whether it did. */
export async function openFile(desk: Desk, deskRow: BankDeskRow, until: Date): Promise<boolean> {
  const op = await opOf(desk)
  const [first] = await selectWaiting(op, desk.rail.name, until, 1)
  if (!first) return false
  const row = newFile(op, desk, deskRow, first, until)
  const { done } = await desk.app.commit(op, [
    insert('bank_files', row),
    update('bank_desks', deskRow.id, { files: deskRow.files }, { files: row.number, updated_at: op.now }),
  ])
  return done
}

function newFile(
  op: Op,
  { rail }: Desk,
  { files, traces }: BankDeskRow,
  first: BankPaymentRow,
  until: Date,
): BankFileRow {
  const { name, entry } = rail
  const { format, filePaymentsMax = PAYMENTS_MAX } = entry
  const number = files + 1n
  const digits = String(number).padStart(8, '0')
  const isSepa = format.type === 'SEPA'
  return {
    id: op.newId('BankFile'),
    platform_id: op.platform.id,
    rail: name,
    number,
    name: `${name}-${digits}.${isSepa ? 'xml' : 'ach'}`,
    // 35 characters at most: the name of a rail may have 40.
    message_name: `${name.toUpperCase().slice(0, 20)}-${digits}`,
    state: BANK_FILE_INITIAL,
    batches: [first.batch],
    payments: 0,
    total: 0n,
    traces_before: traces + BigInt(filePaymentsMax) > TRACES_MAX ? 0n : traces,
    format,
    made_on: madeOn(entry, op.now),
    executed_on: isSepa ? executionDate(entry, op.now) : effectiveDate(entry, op.now),
    part: null,
    accepted_at: null,
    settles_at: null,
    settled_at: null,
    bank_status: null,
    created_at: until,
    updated_at: op.now,
  }
}

/** Takes the next payments into a file, page by page, until it is full or nothing is left; then its content is fixed. */
async function collect(desk: Desk, from: BankFileRow): Promise<void> {
  let file = from
  for (let isOpen = true; isOpen; ) {
    const op = await opOf(desk)
    const batch = file.format.type === 'SEPA' ? file.batches[0] : undefined
    const waiting = await selectWaiting(op, file.rail, file.created_at, PAGE, batch)
    const taken = fitting(desk, file, waiting)
    isOpen = taken.length === PAGE
    const next = {
      payments: file.payments + taken.length,
      total: taken.reduce((sum, { amount }) => sum + amount, file.total),
      batches: [...new Set([...file.batches, ...taken.map((one) => one.batch)])].sort(),
      updated_at: op.now,
    }
    const guard = { state: file.state, payments: file.payments }
    const writes: Write[] = [
      ...taken.map((one, index) => {
        const place = file.payments + index + 1
        return update(
          'bank_payments',
          one.id,
          { file_id: null },
          { file_id: file.id, place, trace: file.traces_before + BigInt(place) },
        )
      }),
      isOpen
        ? update('bank_files', file.id, guard, next)
        : transition(op, 'bank_files', BANK_FILE_TRANSITIONS, file, 'close', next, {
            payments: file.payments,
          }).write,
    ]
    if (!(await desk.app.commit(op, writes)).done) return
    file = { ...file, ...next }
  }
}

/** Those of the page that the file has room for. The first payment always fits: a larger one has a file of its own. */
function fitting(
  { rail }: Desk,
  file: BankFileRow,
  page: readonly BankPaymentRow[],
): readonly BankPaymentRow[] {
  const { filePaymentsMax = PAYMENTS_MAX, fileAmountMax = ACH_TOTAL_MAX } = rail.entry
  let { payments, total } = file
  const end = page.findIndex(({ amount }) => {
    payments += 1
    total += amount
    return payments > filePaymentsMax || (total > fileAmountMax && payments > 1)
  })
  return end < 0 ? page : page.slice(0, end)
}

/** One step of the writing, and its record. */
async function write({ app, rail }: Desk, op: Op, file: BankFileRow): Promise<void> {
  const place = { folder: rail.folder, outbox: rail.entry.place.outbox }
  const attempt = Buffer.from(op.random(ATTEMPT_BYTES)).toString('hex')
  const step = await takeWritingStep(file, attempt, place, () => contentOf(op, file))
  if (!step) return
  const moved = transition(op, 'bank_files', BANK_FILE_TRANSITIONS, file, step.event, { part: step.part })
  await app.commit(op, [moved.write])
}

/** Tells the payments of a file that was written that the bank has them. */
async function acceptAll(desk: Desk, file: BankFileRow): Promise<void> {
  const { rail } = desk
  await removeParts(file, { folder: rail.folder, outbox: rail.entry.place.outbox })
  await tellAll(desk, file, 'accept', { connectorReference: file.message_name })
  const { format } = rail.entry
  await decide(desk, async (op) => {
    const traces = file.traces_before + BigInt(file.payments)
    const settles =
      format.type === 'ACH'
        ? settlesAt(rail.entry, file.executed_on, format.deliveredAfterDays ?? SETTLED_AFTER_DAYS)
        : null
    const change = { accepted_at: op.now, settles_at: settles, updated_at: op.now }
    return [
      update('bank_files', file.id, { accepted_at: null }, change),
      update('bank_desks', deskIdOf(rail.name), {}, { traces, updated_at: op.now }),
    ]
  })
}

/** Tells the payments of ACH files that nobody has sent them back in time: they count as delivered. */
export async function settleFiles(desk: Desk): Promise<void> {
  for (const file of await selectSettling(await opOf(desk), desk.rail.name)) {
    await tellAll(desk, file, 'deliver', {})
    await decide(desk, async (op) => [
      update('bank_files', file.id, { settled_at: null }, { settled_at: op.now, updated_at: op.now }),
    ])
  }
}

/** Says the same of all payments of a file, each by itself. What a payment knows already changes nothing. */
export async function tellAll(
  desk: Desk,
  file: BankFileRow,
  by: RailPaymentEvent,
  told: Told,
): Promise<void> {
  for (let after = 0; ; ) {
    const page = await selectPaymentsOfFile(await opOf(desk), file.id, after, PAGE)
    for (let at = 0; at < page.length; at += AT_ONCE)
      await Promise.all(
        page.slice(at, at + AT_ONCE).map((one) => decide(desk, (op) => tellOne(op, one, by, told))),
      )
    const last = page.at(-1)?.place
    if (page.length < PAGE || last === undefined || last === null) return
    after = last
  }
}

async function tellOne(
  op: Op,
  payment: BankPaymentRow,
  by: RailPaymentEvent,
  told: Told,
): Promise<readonly Write[]> {
  const row = await findRailPayment(op, payment.direction, payment.payment_id)
  return row ? (await tell(op, row, by, told)).writes : []
}
