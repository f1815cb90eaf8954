import { open } from 'node:fs/promises'
import type { BankFilesRailValue } from '@countersign/contract/connectors/rails-file'
import type { Op } from '../../kernel/operation/app.ts'
import { transition } from '../../kernel/operation/transition.ts'
import { recordOnce, recordReport } from '../../money/rail-events/rail-events.ts'
import { decide } from '../../money/rails/rail-worker.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { BankFileRow } from '../../storage/rows/bank-file.ts'
import { BANK_FILE_TRANSITIONS, type BankFileEvent } from '../../storage/rows/states.ts'
import { derivedName, valueInName } from './file-names.ts'
import { selectFileById, selectFileByMessage, selectFileByName } from './file-store.ts'
import { quoteForMessage } from './formats/decimal-amounts.ts'
import { bankEvent } from './hold-line.ts'
import type { BankFileWorker } from './rail.ts'

/** A bank's decision about one of our files, taken from the name of a file of the bank. */
export interface Acknowledgement {
  readonly event: Extract<BankFileEvent, 'acknowledge' | 'reject'>
  readonly by: 'file' | 'message'
  readonly value: string
}

const TEXT_BYTES_MAX = 4_000
const STATUS_CHARACTERS_MAX = 400

/** Reads an acknowledgement from the name of a bank's file. Undefined for any other file. */
export function acknowledgementIn(
  { acknowledgements }: Pick<BankFilesRailValue, 'acknowledgements'>,
  name: string,
): Acknowledgement | undefined {
  if (!acknowledgements) return undefined
  const { accepted, rejected } = acknowledgements
  return (
    (rejected !== undefined ? namedBy('reject', rejected, name) : undefined) ??
    namedBy('acknowledge', accepted, name)
  )
}

function namedBy(
  event: Acknowledgement['event'],
  setting: string,
  name: string,
): Acknowledgement | undefined {
  const value = valueInName(setting, name)
  const by = derivedName(setting).what === 'message' ? 'message' : 'file'
  return value === undefined ? undefined : { event, by, value }
}

/** Explains why acknowledgements cannot be told apart by name. Undefined if they can. */
export function faultOfAcknowledgements(entry: BankFilesRailValue): string | undefined {
  const { accepted, rejected } = entry.acknowledgements ?? {}
  const all = [accepted, rejected].filter((one) => one !== undefined)
  const plain = all.find((one) => /^\{[a-z]+\}$/.test(one))
  if (plain !== undefined) return `acknowledgements: ${plain} needs a text before or after it`
  return accepted !== undefined && accepted === rejected
    ? 'acknowledgements: accepted and rejected have the same name'
    : undefined
}

/** Finds our acknowledged file. Undefined if we have not written a file with this name. */
export async function findAcknowledged(
  op: Op,
  rail: string,
  { by, value }: Acknowledgement,
): Promise<BankFileRow | undefined> {
  const file =
    by === 'file' ? await selectFileByName(op, rail, value) : await selectFileByMessage(op, rail, value)
  return file && WRITTEN.has(file.state) ? file : undefined
}

const WRITTEN: ReadonlySet<string> = new Set(['WRITTEN', 'ACKNOWLEDGED', 'REJECTED'])

/** Applies the acknowledgement in a copy of a bank's file, once. `digest` identifies the bank's file. */
export async function applyAcknowledgement(
  worker: BankFileWorker,
  said: Acknowledgement,
  { path, digest }: { readonly path: string; readonly digest: string },
): Promise<void> {
  const { name: rail } = worker.rail
  const text = await headOf(path)
  await decide(worker, async (op) => {
    const file = await findAcknowledged(op, rail, said)
    if (!file) throw new Error(`${said.value} is not written`)
    const data = { file: file.name, messageId: file.message_name, says: said.event, text }
    const event = bankEvent(`acknowledged-${digest.slice(0, 32)}`, 'file.acknowledged', data)
    const moved = acknowledge(op, file, said.event, statusOf(said, text))
    if (moved === 'CONTRADICTION') return recordOnce(op, rail, event, moved)
    return moved.length === 0 ? [] : [...moved, ...recordReport(op, rail, event, undefined)]
  })
}

/**
 * The writes for the bank's decision about a whole file: none if the decision is already known, CONTRADICTION
 * if the bank has previously reported the opposite.
 */
export function acknowledge(
  op: Op,
  file: BankFileRow,
  event: Acknowledgement['event'],
  bank_status: string,
): readonly Write[] | 'CONTRADICTION' {
  const state = BANK_FILE_TRANSITIONS.WRITTEN[event]
  if (file.state === state) return []
  if (file.state !== 'WRITTEN') return 'CONTRADICTION'
  return [transition(op, 'bank_files', BANK_FILE_TRANSITIONS, file, event, { bank_status }).write]
}

/**
 * Applies a status report as the acknowledgement of a file. The payments of a rejected file have failed by
 * then.
 */
export async function acknowledgeByStatus(
  op: Op,
  { rail }: BankFileWorker,
  { id }: Pick<BankFileRow, 'id'>,
  event: Acknowledgement['event'],
  bankStatus: string,
): Promise<readonly Write[]> {
  const file = rail.entry.acknowledgements && (await selectFileById(op, rail.name, id))
  const moved = file ? acknowledge(op, file, event, bankStatus) : []
  return moved === 'CONTRADICTION' ? [] : moved
}

function statusOf({ event }: Acknowledgement, text: string): string {
  const said = quoteForMessage(text.trim().replaceAll(/\s+/g, ' '))
  return event === 'acknowledge'
    ? 'ACK'
    : `The bank has rejected the file: ${said}`.slice(0, STATUS_CHARACTERS_MAX)
}

async function headOf(path: string): Promise<string> {
  const file = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(TEXT_BYTES_MAX), 0, TEXT_BYTES_MAX, 0)
    return buffer
      .subarray(0, bytesRead)
      .toString('latin1')
      .replaceAll(/[^\n -~]/g, '')
  } finally {
    await file.close()
  }
}
