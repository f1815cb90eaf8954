import { expect, test } from 'vitest'
import { formatCurl, formatSdkCall } from './call-text.ts'

const REQUEST = {
  httpRequestId: '01a26d11-0ced-734e-9f31-000000000000',
  at: '2026-01-01T00:00:00Z',
  method: 'POST',
  path: '/deposits/Deposit:01a26d11-0ced-734e-9f31-0000000000c8/split',
  status: 200,
  durationMs: 12,
  operation: 'deposit_split',
  idempotencyKey: "it's mine",
  requestBody: '{"amounts":[700,9007199254740993],"reason":"***"}',
} as const

test('a request is copied as a curl command with its key, which a shell reads literally', () => {
  expect(
    formatCurl({ ...REQUEST, requestBody: '{"reason":"it\'s"}' }, 'https://pay.example/2025-10-13'),
  ).toBe(
    `curl -X POST 'https://pay.example/2025-10-13${REQUEST.path}' \\
  -u "$TOKEN_ID:$CLIENT_SECRET" \\
  -H 'Idempotency-Key: it'\\''s mine' \\
  -H 'Content-Type: application/json' \\
  -d '{"reason":"it'\\''s"}'`,
  )
})

test('a request is copied as an SDK call: path parameters first, amounts as bigint, its key last', () => {
  expect(formatSdkCall({ ...REQUEST, requestBody: '{"amounts":[700,300],"reason":"***"}' })).toBe(
    `await countersign.deposits.split("Deposit:01a26d11-0ced-734e-9f31-0000000000c8", {
  amounts: [700n, 300n],
  reason: "***",
}, {
  idempotencyKey: "it's mine",
})`,
  )
})

test('a query is copied with numbers as numbers', () => {
  const { idempotencyKey: _, requestBody: __, ...request } = REQUEST
  const list = { ...request, method: 'GET', path: '/transactions', operation: 'transaction_list' } as const
  expect(formatSdkCall({ ...list, query: 'limit=5&status=FAILED' })).toBe(
    `await countersign.transactions.list({
  limit: 5,
  status: "FAILED",
})`,
  )
})

test('a call without a verb, or with a truncated body, is not copied', () => {
  expect(formatSdkCall({ ...REQUEST, operation: 'nothing' })).toBeUndefined()
  expect(formatSdkCall({ ...REQUEST, requestBody: '{"amounts":[70' })).toBeUndefined()
})
