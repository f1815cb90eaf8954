import type { Countersign } from '@countersign/sdk'
import { Agent } from '@countersign/sdk/agent'
import { inject } from 'vitest'

/** A customer with 5,000.00 USD, and accounts at banks by their numbers, which steer the outcome. */
export async function fundedCustomer(countersign: Countersign) {
  const { id: customerId } = await countersign.customers.create({
    customerType: 'INDIVIDUAL',
    fullName: 'Ada Lovelace',
    platformCustomerId: 'ada',
  })
  const { data } = await countersign.internalAccounts.list({ customerId, currency: 'USD' })
  const usdId = data[0]!.id
  await countersign.sandbox.fund(usdId, { amount: 500_000n })
  const payTo = async (accountNumber: string) => {
    const { id } = await countersign.externalAccounts.create({
      customerId,
      currency: 'USD',
      accountInfo: {
        accountType: 'USD_ACCOUNT',
        accountNumber,
        routingNumber: '021000021',
        beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace' },
      },
    })
    return id
  }
  return { customerId, usdId, payTo }
}

/** An agent that asks above 10.00 USD, with a limit of 2,000.00 a day. */
export async function connectedAgent(countersign: Countersign, customerId: string): Promise<Agent> {
  const { deviceCode } = await countersign.agents.create({
    name: 'Shopper',
    customerId,
    policy: {
      permissions: ['CREATE_TRANSFERS'],
      defaultExecutionMode: 'AUTO',
      approvalThresholds: { amount: 1_000n, currency: 'USD' },
      spendingLimits: { currency: 'USD', perTransactionLimit: 100_000n, dailyLimit: 200_000n },
    },
  })
  return Agent.redeem({ baseUrl: inject('baseUrl'), code: deviceCode.code })
}
