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
export function storedWrite(write: Write): StoredWrite {
  switch (write.write) {
    case 'insert':
      return { write: 'insert', table: write.table, row: storedRow(write.row) }
    case 'update':
      return {
        write: 'update',
        table: write.table,
        id: ownUuidOf(write.id),
        expect: storedRow(write.expect),
        set: storedRow(write.set),
      }
    case 'expect':
      return {
        ...write,
        id: ownUuidOf(write.id),
        expect: storedRow(write.expect),
      }
    case 'remove':
      return { ...write, id: ownUuidOf(write.id) }
    case 'keep':
      return { ...write, row: storedRow(write.row) }
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
      return { ...owned(write), objectId: ownUuidOf(write.objectId) }
    case 'open':
      return { ...owned(write), owner: ownUuidOf(write.owner) }
    case 'close':
      return { ...write, owner: ownUuidOf(write.owner) }
    case 'transfer':
      return { ...between(write), causeId: ownUuidOf(write.causeId) }
    case 'end':
      return between(write)
  }
}

function between<W extends Extract<Write, { write: 'transfer' | 'end' }>>(write: W): W {
  return { ...owned(write), debit: ownUuidOf(write.debit), credit: ownUuidOf(write.credit) }
}

function owned<W extends { readonly id: string; readonly platformId: string }>(write: W): W {
  return { ...write, id: ownUuidOf(write.id), platformId: ownUuidOf(write.platformId) }
}

/** Converts the ids of a row, or of some of its columns, to uuids. */
export function storedRow(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const stored = { ...row }
  for (const column in stored) if (isIdColumn(column)) stored[column] = storedValue(column, stored[column])
  return stored
}

function storedValue(column: string, value: unknown): unknown {
  if (value === null || value === undefined) return value
  if (Array.isArray(value)) return value.map((one) => storedValue(column, one))
  if (typeof value !== 'string') throw new Error(`${column} holds ids, not a ${typeof value}`)
  return ownUuidOf(value)
}
