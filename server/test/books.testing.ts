import { parse } from 'csv-parse/sync'
import { expect } from 'vitest'
import { toJson } from '../src/json/json.ts'
import type { Client, Reply } from './client.testing.ts'

/** The rows of a CSV file by the names in its header. */
export async function rowsOf(client: Client, path: string): Promise<Record<string, string>[]> {
  const { status, body } = await client.get(path)
  expect(status, String(body)).toBe(200)
  return parse(body, { columns: true })
}

/** Every record of a paged list. */
export async function everyOne(client: Client, path: string): Promise<Reply['body'][]> {
  const found: Reply['body'][] = []
  let cursor = ''
  do {
    const { status, body } = await client.get(`${path}${path.includes('?') ? '&' : '?'}limit=100${cursor}`)
    expect(status).toBe(200)
    found.push(...body.data)
    cursor = body.hasMore ? `&cursor=${body.nextCursor}` : ''
  } while (cursor !== '')
  return found
}

export const sum = (amounts: readonly (bigint | number | string)[]) =>
  amounts.reduce<bigint>((total, amount) => total + BigInt(amount), 0n)

/** The platform's clock. */
export async function clockOf(client: Client): Promise<string> {
  return (await client.get('/sandbox/clock')).body.now
}

/** A statement as JSON. */
export async function statementOf(client: Client, accountId: string, more = ''): Promise<Reply['body']> {
  const { status, body } = await client.get(`/statements?accountId=${accountId}${more}`)
  expect(status, toJson(body)).toBe(200)
  return body
}
