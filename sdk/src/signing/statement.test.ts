import { toJson } from '@countersign/server/base/json/json'
import { describe, expect, test } from 'vitest'
import { ACCOUNT, issue, PAYEE, PAYMENT } from '../wallet/hostile-backend.testing.ts'
import { membersOf, statementOf } from './statement.ts'

describe('a parsed payload', () => {
  test('has exact amounts', () => {
    const statement = statementOf(toJson(issue('quote_execute', {}).payload))
    expect(statement).toMatchObject({ operation: 'quote_execute', account: ACCOUNT, sends: PAYMENT.sends })
    expect(membersOf(PAYEE)).toContainEqual(['accountInfo.beneficiary.fullName', 'Ada Lovelace'])
  })

  test.each([
    '',
    'eyJhbGciOiJFUzI1NiJ9.e30.c2ln',
    'null',
    '[]',
    '{}',
    '{"operation":1}',
    '{"operation":"toString"}',
  ])('%j has no statement', (payload) => {
    expect(statementOf(payload)).toBeUndefined()
  })
})
