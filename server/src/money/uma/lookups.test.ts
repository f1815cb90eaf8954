import { createHmac, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { addSeconds, type Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { checkLookup, newLookupId } from './lookups.ts'

const NOW = new Date('2026-01-02T03:04:05.678Z')
const RECEIVER = '$success.usd@sandbox.uma.test'

function createOp(now: Date, platformId = 'Platform:1', key = 'key'): Op {
  const mac = (purpose: string, message: Uint8Array) =>
    createHmac('sha256', key).update(purpose).update(message).digest()
  return { now, platform: { id: platformId }, random: randomBytes, enclave: { mac } } as unknown as Op
}

function catchApiError(check: () => void): unknown {
  try {
    check()
  } catch (error) {
    if (error instanceof ApiError) return { code: error.code, ...error.details }
    throw error
  }
  return undefined
}

const op = createOp(NOW)
const id = newLookupId(op, RECEIVER)

test('a lookup is valid for its receiver for 30 minutes', () => {
  const at = (seconds: number) =>
    catchApiError(() => checkLookup(createOp(addSeconds(NOW, seconds)), id, RECEIVER))
  expect(id).toMatch(/^Lookup:[\w-]+$/)
  expect(id.length).toBeLessThan(96)
  expect(newLookupId(op, RECEIVER)).not.toBe(id)
  expect([at(0), at(1799)]).toEqual([undefined, undefined])
  expect(at(1800)).toEqual({ code: 'LOOKUP_REQUEST_NOT_FOUND', field: 'lookupId' })
})

test('a lookup of another receiver is rejected differently from an unknown lookup', () => {
  for (const other of ['$success.eur@sandbox.uma.test', 'ExternalAccount:1', ''])
    expect(catchApiError(() => checkLookup(op, id, other))).toEqual({
      code: 'INVALID_INPUT',
      field: 'lookupId',
    })
})

test('a lookup that was changed or belongs to another platform is not found', () => {
  const bytes = Buffer.from(id.slice('Lookup:'.length), 'base64url')
  const changed = [...bytes.keys()].map((at) => {
    const copy = Buffer.from(bytes)
    copy[at]! ^= 1
    return `Lookup:${copy.toString('base64url')}`
  })
  const otherIds = [
    newLookupId(createOp(NOW, 'Platform:2'), RECEIVER),
    newLookupId(createOp(NOW, 'Platform:1', 'other'), RECEIVER),
    ...['', 'x', 'Lookup:', 'Lookup:💥', `${id}A`, `${id}=`, id.slice(0, -1), id.slice('Lookup:'.length)],
    id.replace('Lookup', 'Quote'),
    `Lookup:${bytes.toString('base64')}==`,
  ]
  for (const lookupId of [...changed, ...otherIds])
    expect(
      catchApiError(() => checkLookup(op, lookupId, RECEIVER)),
      lookupId,
    ).toEqual({
      code: 'LOOKUP_REQUEST_NOT_FOUND',
      field: 'lookupId',
    })
})
