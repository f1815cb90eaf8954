import { API } from '@countersign/contract/api'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { readTime } from '../terminal/options.ts'
import type { RecordNoun } from './nouns.ts'

/** The part of a filter's schema that determines its flag. */
interface Schema {
  readonly type?: string
  readonly format?: string
  readonly enum?: readonly string[]
  readonly description?: string
}

/** Query parameters set by --limit and --all, not by separate flags. */
const PAGING = ['limit', 'cursor']

const PAGE_MAX = 100
const LIMIT = 20

/** Adds a flag for each filter of the list endpoint, and --limit and --all. */
export function addFilters(command: Command, { list }: Pick<RecordNoun, 'list'>): void {
  for (const [name, schema] of listFilters(list)) command.addOption(buildFlag(name, schema))
  command
    .option('--limit <number>', `maximum number of records (default: ${LIMIT})`, readLimit)
    .option('--all', 'all records')
}

/** Builds the list query from the given filters, newest first. Throws Failure for an invalid time. */
export function buildQuery(
  list: RecordNoun['list'],
  options: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const query: Record<string, unknown> =
    'sortOrder' in API[list].query.properties ? { sortOrder: 'desc' } : {}
  for (const [name, { format }] of listFilters(list)) {
    const value = options[name]
    if (value === undefined) continue
    query[name] = format === 'date-time' ? readTime(String(value), `--${toKebabCase(name)}`) : value
  }
  return query
}

/** The number of records that the options ask for. */
export function getLimit({ limit, all }: { readonly limit?: number; readonly all?: boolean }): number {
  return all ? Number.POSITIVE_INFINITY : (limit ?? LIMIT)
}

export function choosePageSize(missing: number): number {
  return Math.min(missing, PAGE_MAX)
}

function listFilters(list: RecordNoun['list']): [string, Schema][] {
  const filters: Readonly<Record<string, object>> = API[list].query.properties
  return Object.entries(filters)
    .filter(([name]) => !PAGING.includes(name))
    .map(([name, schema]) => [name, schema])
}

function buildFlag(name: string, { type, format, description = '', ...schema }: Schema): Option {
  const flag = `--${toKebabCase(name)}`
  if (type === 'boolean') return new Option(flag, description)
  const choices = schema.enum
  if (choices) return new Option(`${flag} <word>`, description).choices(choices)
  return new Option(`${flag} <${format === 'date-time' ? 'time' : 'value'}>`, description)
}

function toKebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

function readLimit(text: string): number {
  const count = Number(text)
  if (/^\d{1,9}$/.test(text) && count > 0) return count
  throw new InvalidArgumentError('It must be a positive number.')
}
