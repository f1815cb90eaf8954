import { open } from 'node:fs/promises'
import type { BankFilesRailValue } from '@countersign/contract/connectors/rails-file'
import type { Op } from '../../kernel/operation/app.ts'
import { transition } from '../../kernel/operation/transition.ts'
import { recordOnce, recordReport } from '../../money/rail-events/rail-events.ts'
import { decide } from '../../money/rails/rail-worker.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { BankFileRow } from '../../storage/rows/bank-file.ts'
import { BANK_FILE_TRANSITIONS, type BankFileEvent } from '../../storage/rows/states.ts'
import { parseDerivedName, readNameValue } from './file-names.ts'
import { selectFileById, selectFileByMessage, selectFileByName } from './file-store.ts'
import { quoteForMessage } from './formats/decimal-amounts.ts'
import { toBankEvent } from './hold-line.ts'
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
export function readAcknowledgement(
  { acknowledgements }: Pick<BankFilesRailValue, 'acknowledgements'>,
  name: string,
): Acknowledgement | undefined {
  if (!acknowledgements) return undefined
  const { accepted, rejected } = acknowledgements
  return (
    (rejected !== undefined ? matchName('reject', rejected, name) : undefined) ??
    matchName('acknowledge', accepted, name)
  )
}

function matchName(
  event: Acknowledgement['event'],
  setting: string,
  name: string,
): Acknowledgement | undefined {
  const value = readNameValue(setting, name)
  const by = parseDerivedName(setting).placeholder === 'message' ? 'message' : 'file'
  return value === undefined ? undefined : { event, by, value }
}

/** Explains why names do not tell acknowledgements apart. Undefined if they do. */
export function findAcknowledgementFault(entry: BankFilesRailValue): string | undefined {
  const { accepted, rejected } = entry.acknowledgements ?? {}
  const settings = [accepted, rejected].filter((setting) => setting !== undefined)
  const bare = settings.find((setting) => /^\{[a-z]+\}$/.test(setting))
  if (bare !== undefined) return `acknowledgements: ${bare} must have text before or after it`
  return accepted !== undefined && accepted === rejected
    ? 'acknowledgements: accepted and rejected must have different names'
    : undefined
}

/** Finds our file that the bank acknowledges. Undefined if we have not written a file with this name. */
export async function findAcknowledgedFile(
  op: Op,
  rail: string,
  { by, value }: Acknowledgement,
): Promise<BankFileRow | undefined> {
  const file =
    by === 'file' ? await selectFileByName(op, rail, value) : await selectFileByMessage(op, rail, value)
  return file && WRITTEN.has(file.state) ? file : undefined
}

const WRITTEN: ReadonlySet<string> = new Set(['WRITTEN', 'ACKNOWLEDGED', 'REJECTED'])

/**
 * Applies an acknowledgement exactly once. `path` is a copy of the bank's file, and `digest` identifies it.
 */
export async function applyAcknowledgement(
  worker: BankFileWorker,
  acknowledgement: Acknowledgement,
  { path, digest }: { readonly path: string; readonly digest: string },
): Promise<void> {
  const { name: rail } = worker.rail
  const text = await readHead(path)
  await decide(worker, async (op) => {
    const file = await findAcknowledgedFile(op, rail, acknowledgement)
    if (!file) throw new Error(`The acknowledged file ${acknowledgement.value} has not been written`)
    const data = { file: file.name, messageId: file.message_name, says: acknowledgement.event, text }
    const event = toBankEvent(`acknowledged-${digest.slice(0, 32)}`, 'file.acknowledged', data)
    const writes = acknowledge(op, file, acknowledgement.event, formatStatus(acknowledgement, text))
    if (writes === 'CONTRADICTION') return recordOnce(op, rail, event, writes)
    return writes.length === 0 ? [] : [...writes, ...recordReport(op, rail, event, undefined)]
  })
}

/**
 * The writes for the bank's decision about a whole file. Empty if the decision is already known,
 * CONTRADICTION if the bank reported the opposite before.
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
 * Applies a status report as the acknowledgement of a file. If it rejects the file, call this after its
 * payments have failed.
 */
export async function acknowledgeByStatus(
  op: Op,
  { rail }: BankFileWorker,
  { id }: Pick<BankFileRow, 'id'>,
  event: Acknowledgement['event'],
  bankStatus: string,
): Promise<readonly Write[]> {
  const file = rail.entry.acknowledgements && (await selectFileById(op, rail.name, id))
  const writes = file ? acknowledge(op, file, event, bankStatus) : []
  return writes === 'CONTRADICTION' ? [] : writes
}

function formatStatus({ event }: Acknowledgement, text: string): string {
  const reply = quoteForMessage(text.trim().replaceAll(/\s+/g, ' '))
  return event === 'acknowledge'
    ? 'ACK'
    : `The bank rejected the file: ${reply}`.slice(0, STATUS_CHARACTERS_MAX)
}

async function readHead(path: string): Promise<string> {
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
