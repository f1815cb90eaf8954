import { ownUuidOf } from '../engine/ids.ts'
import { isIdColumn } from '../schema/id-columns.ts'
import type { InsertWrite, UpdateWrite, Write } from './writes.ts'

type StoredWrite =
  | Exclude<Write, InsertWrite | UpdateWrite>
  | Pick<InsertWrite, 'write' | 'table' | 'row'>
  | Omit<UpdateWrite, 'values'>

/**
 * Converts a write to the database's form: ids become uuids. People's text, and ids within JSON, stay as they
 * are. Throws if an id is malformed, which is a fault of ours.
 */
export function toStoredWrite(write: Write): StoredWrite {
  switch (write.write) {
    case 'insert':
      return { write: 'insert', table: write.table, row: toStoredRow(write.row) }
    case 'update':
      return {
        write: 'update',
        table: write.table,
        id: ownUuidOf(write.id),
        expect: toStoredRow(write.expect),
        set: toStoredRow(write.set),
      }
    case 'expect':
      return {
        ...write,
        id: ownUuidOf(write.id),
        expect: toStoredRow(write.expect),
      }
    case 'remove':
      return { ...write, id: ownUuidOf(write.id) }
    case 'keep':
      return { ...write, row: toStoredRow(write.row) }
    case 'newestKey':
      return write
    default:
      return withoutKinds(write)
  }
}

/** Writes that carry ids in their own fields: writes of the ledger and of the outbox. */
type OwnWrite = Exclude<Write, { write: 'insert' | 'update' | 'expect' | 'remove' | 'keep' | 'newestKey' }>

function withoutKinds(write: OwnWrite): OwnWrite {
  switch (write.write) {
    case 'event':
      return { ...withOwnIds(write), objectId: ownUuidOf(write.objectId) }
    case 'open':
      return { ...withOwnIds(write), owner: ownUuidOf(write.owner) }
    case 'close':
      return { ...write, owner: ownUuidOf(write.owner) }
    case 'transfer':
      return { ...toStoredTransfer(write), causeId: ownUuidOf(write.causeId) }
    case 'end':
      return toStoredTransfer(write)
  }
}

function toStoredTransfer<W extends Extract<Write, { write: 'transfer' | 'end' }>>(write: W): W {
  return { ...withOwnIds(write), debit: ownUuidOf(write.debit), credit: ownUuidOf(write.credit) }
}

function withOwnIds<W extends { readonly id: string; readonly platformId: string }>(write: W): W {
  return { ...write, id: ownUuidOf(write.id), platformId: ownUuidOf(write.platformId) }
}

/** Converts the ids of a row, or of some of its columns, to uuids. */
export function toStoredRow(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const stored = { ...row }
  for (const column in stored) if (isIdColumn(column)) stored[column] = toStoredValue(column, stored[column])
  return stored
}

function toStoredValue(column: string, value: unknown): unknown {
  if (value === null || value === undefined) return value
  if (Array.isArray(value)) return value.map((one) => toStoredValue(column, one))
  if (typeof value !== 'string') throw new Error(`${column} holds ids, not a ${typeof value}`)
  return ownUuidOf(value)
}
