import { Countersign } from '@countersign/sdk'

const { BASE = '', TOKEN_ID = '', CLIENT_SECRET = '' } = process.env
const countersign = new Countersign({ baseUrl: BASE, tokenId: TOKEN_ID, clientSecret: CLIENT_SECRET })

/**
 * Creates a funded customer and a payee, and an agent that may pay up to 100.00 USD, with approval above
 * 50.00.
 */
async function create(): Promise<void> {
  const customer = await countersign.customers.create({
    customerType: 'INDIVIDUAL',
    fullName: 'Ada Lovelace',
  })
  const { data } = await countersign.internalAccounts.list({ customerId: customer.id, currency: 'USD' })
  const account = data[0]
  if (!account) throw new Error('The customer has no account in USD.')
  await countersign.sandbox.fund(account.id, { amount: 50_000n })
  const payee = await countersign.externalAccounts.create({
    customerId: customer.id,
    currency: 'USD',
    accountInfo: {
      accountType: 'USD_ACCOUNT',
      accountNumber: '000123456789',
      routingNumber: '021000021',
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Grace Hopper' },
    },
  })
  const { deviceCode } = await countersign.agents.create({
    name: 'Bill payer',
    customerId: customer.id,
    policy: {
      permissions: ['VIEW_TRANSACTIONS', 'CREATE_QUOTES', 'EXECUTE_QUOTES'],
      defaultExecutionMode: 'AUTO',
      spendingLimits: { currency: 'USD', perTransactionLimit: 10_000n, dailyLimit: 20_000n },
      approvalThresholds: { amount: 5_000n },
    },
  })
  console.log(JSON.stringify({ DEVICE_CODE: deviceCode.code, FROM: account.id, TO: payee.id }))
}

/**
 * Approves each waiting action up to 80.00 USD and rejects the others. In a real platform, a person decides.
 */
async function decide(): Promise<void> {
  for await (const { id, agentId, quote } of countersign.agents.approvals()) {
    const isSmall = quote !== undefined && quote.totalSendingAmount <= 8_000n
    if (isSmall) await countersign.agents.approve(agentId, id)
    else await countersign.agents.reject(agentId, id)
    console.log(`${isSmall ? 'approved' : 'rejected'} ${id}`)
  }
}

if (process.argv[2] === 'create') await create()
else if (process.argv[2] === 'decide') await decide()
else throw new Error('Usage: node dist/backend.js create | decide')
