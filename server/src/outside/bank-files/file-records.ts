import { createRailOp, decide } from '../../money/rails/rail-worker.ts'
import { finishBooking } from '../../operation/reconciliations/finish-booking.ts'
import { update } from '../../storage/commit/writes.ts'
import type { BankInboxFileRow } from '../../storage/rows/bank-file.ts'
import { AchFile } from './ach-evidence.ts'
import { applyStatement } from './apply-statement.ts'
import { applyBacs } from './bacs-evidence.ts'
import type { BankRecord } from './formats/camt.ts'
import type { FileRecord } from './formats/file-formats.ts'
import type { UnreadPart } from './formats/unread-part.ts'
import { holdRecord, toBankEvent } from './hold-line.ts'
import { applyStatus } from './payment-statuses.ts'
import type { BankFileWorker } from './rail.ts'
import { StatementGatherer } from './statement-lines.ts'

/** The number of records after which progress is saved and the claim is renewed. */
const PROGRESS_EVERY = 200

/**
 * Applies each record of a file exactly once, even after crashes. A statement is identified by its content,
 * any other record by its position and the `digest` of the file. `renew` is called periodically.
 */
export async function applyRecords(
  worker: BankFileWorker,
  id: BankInboxFileRow['id'],
  digest: string,
  records: AsyncIterable<FileRecord>,
  renew: () => Promise<void>,
): Promise<void> {
  const applier = new RecordApplier(worker, digest.slice(0, 32))
  // Earlier files about the same money must be booked first.
  await finishBooking(worker.app, await createRailOp(worker), worker.rail.name)
  let place = 0
  const saveProgress = () =>
    decide(worker, async () => [update('bank_inbox_files', id, {}, { records: place })])
  for await (const record of records) {
    place += 1
    await applier.take(record, place)
    if (place % PROGRESS_EVERY > 0) continue
    await saveProgress()
    await renew()
  }
  await applier.end()
  await saveProgress()
}

/** Applies the records of a file while it is being read. */
class RecordApplier {
  readonly #worker: BankFileWorker
  readonly #digest: string
  readonly #statements = new StatementGatherer()
  readonly #ach: AchFile

  constructor(worker: BankFileWorker, digest: string) {
    this.#worker = worker
    this.#digest = digest
    this.#ach = new AchFile(worker)
  }

  async take(file: FileRecord, place: number): Promise<void> {
    const id = `${this.#digest}-${place}`
    if (file.of === 'ACCOUNT') return this.#applyBooking(file.record, id)
    if (file.of === 'UNREAD') return this.#hold(file.record, id)
    if (file.of === 'BACS') return applyBacs(this.#worker, file.record, id)
    if (file.of === 'ACH')
      return file.record.type === 'unread' ? this.#hold(file.record, id) : this.#ach.apply(file.record, id)
    return applyStatus(this.#worker, file.record, id)
  }

  async end(): Promise<void> {
    const last = this.#statements.end()
    if (last) await applyStatement(this.#worker, last)
  }

  async #applyBooking(record: BankRecord, id: string): Promise<void> {
    if (record.type === 'unread' && record.statement === null) return this.#hold(record, id)
    const whole = this.#statements.take(record)
    if (whole) await applyStatement(this.#worker, whole)
  }

  /** Holds an unreadable part for manual review. */
  #hold(record: UnreadPart, id: string): Promise<void> {
    return holdRecord(this.#worker, toBankEvent(id, 'file.unread', record), 'UNREADABLE')
  }
}
