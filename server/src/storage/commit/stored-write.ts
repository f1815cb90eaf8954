import { ownUuidOf } from '../engine/ids.ts'
import { isIdColumn } from '../schema/id-columns.ts'
import type { InsertWrite, UpdateWrite, Write } from './writes.ts'

type StoredWrite =
  | Exclude<Write, InsertWrite | UpdateWrite>
  | Pick<InsertWrite, 'write' | 'table' | 'row'>
  | Omit<UpdateWrite, 'values'>

/**
 * A write as the database takes it: its ids are uuids. Text of people, and ids within JSON, stay as they are. Throws where an
 * id is none, which is a fault of ours.
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

/** The writes whose ids are members of their own: those of the ledger and of the outbox. */
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

/** A row, or values of some columns of it, likewise. */
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
