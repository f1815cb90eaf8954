import { API } from '@countersign/contract/api'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { timeOf } from '../terminal/options.ts'
import type { RecordNoun } from './nouns.ts'

/** The part of a filter's schema that a flag shows. */
interface Schema {
  readonly type?: string
  readonly format?: string
  readonly enum?: readonly string[]
  readonly description?: string
}

/** Set by --limit and --all. */
const PAGING = ['limit', 'cursor']

const PAGE_MAX = 100
const LIMIT = 20

/** Adds a flag for each filter of the list's query, and --limit and --all. */
export function addFilters(command: Command, { list }: Pick<RecordNoun, 'list'>): void {
  for (const [name, schema] of filtersOf(list)) command.addOption(flagOf(name, schema))
  command
    .option('--limit <number>', `how many at most (default: ${LIMIT})`, countOf)
    .option('--all', 'all records')
}

/** The query of the given filters, the newest first. Throws Failure for an invalid time. */
export function queryOf(
  list: RecordNoun['list'],
  options: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const query: Record<string, unknown> =
    'sortOrder' in API[list].query.properties ? { sortOrder: 'desc' } : {}
  for (const [name, { format }] of filtersOf(list)) {
    const value = options[name]
    if (value === undefined) continue
    query[name] = format === 'date-time' ? timeOf(String(value), `--${kebab(name)}`) : value
  }
  return query
}

/** The number of records that the options request, and the size of the next page. */
export function limitOf({ limit, all }: { readonly limit?: number; readonly all?: boolean }): number {
  return all ? Number.POSITIVE_INFINITY : (limit ?? LIMIT)
}

export function pageSize(missing: number): number {
  return Math.min(missing, PAGE_MAX)
}

function filtersOf(list: RecordNoun['list']): [string, Schema][] {
  const filters: Readonly<Record<string, object>> = API[list].query.properties
  return Object.entries(filters)
    .filter(([name]) => !PAGING.includes(name))
    .map(([name, schema]) => [name, schema])
}

function flagOf(name: string, { type, format, description = '', ...schema }: Schema): Option {
  const flag = `--${kebab(name)}`
  if (type === 'boolean') return new Option(flag, description)
  const words = schema.enum
  if (words) return new Option(`${flag} <word>`, description).choices(words)
  return new Option(`${flag} <${format === 'date-time' ? 'time' : 'value'}>`, description)
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

function countOf(text: string): number {
  const count = Number(text)
  if (/^\d{1,9}$/.test(text) && count > 0) return count
  throw new InvalidArgumentError('It must be a number from 1.')
}
