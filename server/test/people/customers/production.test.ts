import type { BodyOf } from '@countersign/contract/core/endpoint'
import type { customer_create } from '@countersign/contract/customers/customers'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Op } from '../../../src/kernel/operation/app.ts'
import { externalAccountHandlers } from '../../../src/money/external-accounts/handlers.ts'
import { customerHandlers } from '../../../src/people/customers/handlers.ts'
import type { SharedServer } from '../../worlds/server.testing.ts'
import { world } from '../../worlds/world.testing.ts'

type Body = BodyOf<typeof customer_create>

let service: SharedServer
beforeAll(async () => {
  service = await world('sandbox+quiet')
})

async function createCustomer(op: Op, body: Body) {
  const { body: customer, writes = [] } = await customerHandlers.customer_create(op, {
    params: {},
    query: {},
    body,
  })
  expect(await service.app.committer.commit(writes)).toEqual({ done: true })
  return customer
}

describe('in production', () => {
  test.each(['Ada Lovelace', 'Ada 001', 'Ada 002'])(
    'the customer %s waits for verification, and so do its accounts',
    async (fullName) => {
      const op: Op = { ...(await service.newOp()), mode: 'production' }
      const customer = await createCustomer(op, {
        customerType: 'INDIVIDUAL',
        fullName,
        email: 'ada@example.com',
      })
      expect(customer).toMatchObject({ kycStatus: 'PENDING' })
      const accounts = op.read.selectFrom('internal_accounts').where('customer_id', '=', customer.id)
      const statuses = (await accounts.select('status').execute()).map(({ status }) => status)
      expect(new Set(statuses)).toEqual(new Set(['PENDING']))
    },
  )

  test.each(['102', '105'])('an account whose number ends in %s has no special outcome', async (suffix) => {
    const op: Op = { ...(await service.newOp()), mode: 'production' }
    const { id } = await createCustomer(op, { customerType: 'INDIVIDUAL' })
    const response = await externalAccountHandlers.customer_external_account_create(op, {
      params: {},
      query: {},
      body: {
        customerId: id,
        currency: 'USD',
        accountInfo: {
          accountType: 'USD_ACCOUNT',
          accountNumber: `1234567${suffix}`,
          routingNumber: '021000021',
          beneficiary: { beneficiaryType: 'BUSINESS', legalName: 'Acme' },
        },
      },
    })
    expect(response.body).toMatchObject({ beneficiaryVerificationStatus: 'UNSUPPORTED' })
  })

  test('check digits are verified, whatever the suffix', async () => {
    const op: Op = { ...(await service.newOp()), mode: 'production' }
    const { id } = await createCustomer(op, { customerType: 'INDIVIDUAL' })
    const accountInfo = {
      accountType: 'MXN_ACCOUNT',
      clabeNumber: '032180000118359003',
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace' },
    } as const
    const body = { customerId: id, currency: 'MXN', accountInfo }
    await expect(
      externalAccountHandlers.customer_external_account_create(op, { params: {}, query: {}, body }),
    ).rejects.toMatchObject({
      code: 'INVALID_BANK_ACCOUNT',
    })
  })
})

describe('a new customer', () => {
  test.each([
    [{ customerType: 'INDIVIDUAL', fullName: 'Ada' }, 'CUSTOMER.KYC_APPROVED'],
    [{ customerType: 'INDIVIDUAL', fullName: 'Ada 001' }, 'CUSTOMER.KYC_PENDING'],
    [{ customerType: 'INDIVIDUAL', fullName: 'Ada 002' }, 'CUSTOMER.KYC_REJECTED'],
    [{ customerType: 'BUSINESS' }, 'CUSTOMER.KYB_APPROVED'],
  ] satisfies [Body, string][])(
    'with %j causes the event %s, which contains the customer',
    async (body, type) => {
      const op = await service.newOp()
      const customer = await createCustomer(op, body)
      const events = await op.read
        .selectFrom('events')
        .selectAll()
        .where('object_id', '=', customer.id)
        .execute()
      expect(events).toMatchObject([{ type }])
      expect(JSON.parse(events[0]!.data!)).toEqual(JSON.parse(JSON.stringify(customer)))
    },
  )
})
