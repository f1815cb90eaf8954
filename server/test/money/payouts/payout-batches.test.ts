import { describe, expect, test } from 'vitest'
import { Client, fund, newCustomer, newPlatform } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { newMember } from '../../worlds/records/members.testing.ts'
import {
  balanceOf,
  checked,
  execute,
  linesOf,
  newPayingPlatform,
  payout,
  sendFile,
  sendLines,
  usAccount,
  waitForBatch,
} from '../../worlds/records/payouts.testing.ts'

const HEADER =
  'accountId,accountInfo.accountType,accountInfo.accountNumber,accountInfo.routingNumber,accountInfo.beneficiary.beneficiaryType,accountInfo.beneficiary.fullName,currency,amount,paymentRail,remittanceInformation,reference'

describe('a batch of payouts', () => {
  test('is checked without a payment, and pays each line as a transfer out', async () => {
    const { client, payee } = await newPayingPlatform()
    const created = await sendLines(client, [
      payout(payee, 100, { reference: 'a' }),
      payout(payee, 250, { reference: 'b', remittanceInformation: 'Salary May' }),
    ])
    expect(created).toMatchObject({
      status: 'CHECKING',
      name: 'Payroll',
      progress: { lines: 2, checked: 0 },
      totals: [],
    })
    const readyBatch = await checked(client, created.id)
    expect(readyBatch).toMatchObject({
      status: 'READY',
      progress: { lines: 2, checked: 2, faulty: 0, sent: 0, failed: 0 },
      totals: [{ rail: expect.any(String), lines: 2, total: { amount: 350, currency: { code: 'USD' } } }],
    })
    expect(await balanceOf(client)).toBe(1_000_000)
    expect((await client.get('/transactions')).body.data).toEqual([])

    expect((await execute(client, readyBatch)).body).toMatchObject({ status: 'SENDING' })
    const completed = await waitForBatch(client, created.id, 'COMPLETED')
    expect(completed.progress).toEqual({ lines: 2, checked: 2, faulty: 0, sent: 2, failed: 0 })
    expect(await balanceOf(client)).toBe(1_000_000 - 350)
    const [, second] = await linesOf(client, created.id)
    expect(second).toMatchObject({
      line: 2,
      status: 'SENT',
      reference: 'b',
      accountId: payee,
      amount: { amount: 250 },
    })
    const payer = {
      source: { accountId: (await client.get('/platform/internal-accounts?currency=USD')).body.data[0].id },
    }
    const transfer = await client.post('/transfer-out', {
      ...payer,
      destination: { accountId: payee },
      amount: 250,
      remittanceInformation: 'Salary May',
    })
    const omitVolatileFields = ({
      id: _i,
      createdAt: _c,
      updatedAt: _u,
      settledAt: _s,
      status: _t,
      reconciliationInstructions: _r,
      ...rest
    }: Record<string, unknown>) => rest
    const { body: paid } = await client.get(`/transactions/${second.transactionId}`)
    const { body: transferTransaction } = await client.get(`/transactions/${transfer.body.id}`)
    expect(omitVolatileFields(paid)).toEqual(omitVolatileFields(transferTransaction))
    const events = await client.events(`&objectId=${created.id}`)
    expect(events.map(({ type }: { type: string }) => type)).toEqual([
      'PAYOUT_BATCH.CHECKED',
      'PAYOUT_BATCH.COMPLETED',
    ])
    expect(events[1].data).toEqual(completed)
  })

  test('of a file adds each new payee once, and uses existing ones', async () => {
    const { client, payee } = await newPayingPlatform()
    const row = (number: string, amount: number, reference: string) =>
      `,USD_ACCOUNT,${number},021000021,INDIVIDUAL,Grace Hopper,USD,${amount},,,${reference}`
    const { id } = await sendFile(
      client,
      [
        HEADER,
        row('600000789', 10, 'x1'),
        row('600000789', 20, 'x2'),
        row('777000789', 30, 'x3'),
        `${payee},,,,,,USD,40,ACH,May,x4`,
      ].join('\r\n'),
    )
    const before = (await client.get('/platform/external-accounts')).body.totalCount
    const readyBatch = await checked(client, id)
    expect(readyBatch).toMatchObject({ status: 'READY', progress: { lines: 4, faulty: 0 } })
    expect((await client.get('/platform/external-accounts')).body.totalCount).toBe(before)
    await execute(client, readyBatch)
    await waitForBatch(client, id, 'COMPLETED')
    const lines = await linesOf(client, id)
    expect(lines.map(({ status }) => status)).toEqual(['SENT', 'SENT', 'SENT', 'SENT'])
    expect(lines[0].accountId).toBe(lines[1].accountId)
    expect([lines[2].accountId, lines[3].accountId]).toEqual([payee, payee])
    expect((await client.get('/platform/external-accounts')).body.totalCount).toBe(before + 1)
    expect(await balanceOf(client)).toBe(1_000_000 - 100)
  })

  test('names every invalid row with its line, field and code, and pays the others only on request', async () => {
    const { client, payee } = await newPayingPlatform()
    const [customer, otherPlatform] = [await newCustomer(client), await newPayingPlatform()]
    const customerBank = (
      await client.post('/customers/external-accounts', {
        customerId: customer.id,
        currency: 'USD',
        accountInfo: usAccount('888000789'),
      })
    ).body.id
    const info = 'USD_ACCOUNT,600000789,021000021,INDIVIDUAL,Grace Hopper'
    const noAccountInfo = ',,,,'
    const rows: readonly (readonly [string, string | null, string | null])[] = [
      [`${payee},${noAccountInfo},USD,100,,,a`, null, null],
      [`${payee},${noAccountInfo},USD,0,,,b`, 'INVALID_INPUT', 'amount'],
      [`${payee},${noAccountInfo},USD,ten,,,c`, 'INVALID_INPUT', 'amount'],
      [`${payee},${noAccountInfo},XYZ,100,,,d`, 'INVALID_CURRENCY', 'currency'],
      [`${payee},${noAccountInfo},EUR,100,,,e`, 'INVALID_CURRENCY', 'accountId'],
      [`${payee},${noAccountInfo},USD,99999999999999,,,f`, 'AMOUNT_OUT_OF_RANGE', 'amount'],
      [`${payee},${noAccountInfo},USD,100,SEPA,,g`, 'INVALID_INPUT', 'paymentRail'],
      [`${payee},${noAccountInfo},USD,100,,,a`, 'INVALID_INPUT', 'reference'],
      [`${customerBank},${noAccountInfo},USD,100,,,h`, 'ACCOUNT_NOT_FOUND', 'accountId'],
      [`${otherPlatform.payee},${noAccountInfo},USD,100,,,i`, 'ACCOUNT_NOT_FOUND', 'accountId'],
      [`,${noAccountInfo},USD,100,,,j`, 'INVALID_INPUT', 'accountId'],
      [`${payee},${info},USD,100,,,k`, 'INVALID_INPUT', 'accountId'],
      [
        `,USD_ACCOUNT,600000789,123,INDIVIDUAL,Grace Hopper,USD,100,,,l`,
        'INVALID_BANK_ACCOUNT',
        'accountInfo.routingNumber',
      ],
      [`${payee},USD`, 'INVALID_INPUT', 'row'],
      [`${payee},${noAccountInfo},USD,200,,,last`, null, null],
    ]
    const { id } = await sendFile(client, [HEADER, ...rows.map(([row]) => row)].join('\n'))
    const readyBatch = await checked(client, id)
    expect(readyBatch).toMatchObject({ progress: { lines: 15, checked: 15, faulty: 13 } })
    const lines = await linesOf(client, id)
    expect(lines.map(({ line, error }) => [line, error?.code ?? null, error?.field ?? null])).toEqual(
      rows.map(([, code, field], index) => [index + 1, code, field]),
    )
    expect((await linesOf(client, id, '&status=FAULTY')).length).toBe(13)
    const csv = (await client.get(`/payouts/batches/${id}/lines.csv?status=FAULTY`)).body
    expect(String(csv).trim().split(/\r?\n/)).toHaveLength(14)
    expectError(await execute(client, readyBatch), { code: 'PAYOUT_BATCH_FAULTY', field: 'skipFaulty' })
    await execute(client, readyBatch, { skipFaulty: true })
    expect(await waitForBatch(client, id, 'COMPLETED')).toMatchObject({
      progress: { sent: 2, failed: 0, faulty: 13 },
    })
    expect(await balanceOf(client)).toBe(1_000_000 - 300)
  })

  test.each([
    ['an unknown column', 'accountId,currency,amont\n', 0, /did you mean amount/],
    ['no amount column', 'accountId,currency\n', 0, /no column amount/],
    ['no payouts', 'accountId,currency,amount\n', 1, /no payouts/],
    ['an unterminated quote', 'accountId,currency,amount\nx,USD,1\n"x,USD,1\n', 2, /does not end/],
  ])(
    'of a file with %s fails with the line number, and cannot be executed',
    async (_, csv, line, message) => {
      const client = await newPlatform()
      const { id } = await sendFile(client, csv)
      const failed = await checked(client, id)
      expect(failed).toMatchObject({
        status: 'FAILED',
        error: { code: 'INVALID_INPUT', line, message: expect.stringMatching(message) },
        completedAt: expect.any(String),
      })
      const request = { totals: [{ currency: 'USD', amount: 1 }] }
      expectError(await client.post(`/payouts/batches/${id}/execute`, request), {
        code: 'INVALID_STATE_TRANSITION',
      })
    },
  )

  test('is not executed with wrong totals or beyond the balance', async () => {
    const { client, payee } = await newPayingPlatform(500)
    const readyBatch = await checked(
      client,
      (await sendLines(client, [payout(payee, 400), payout(payee, 50)])).id,
    )
    const path = `/payouts/batches/${readyBatch.id}/execute`
    for (const totals of [
      [{ currency: 'USD', amount: 449 }],
      [{ currency: 'EUR', amount: 450 }],
      [
        { currency: 'USD', amount: 450 },
        { currency: 'EUR', amount: 1 },
      ],
      [
        { currency: 'USD', amount: 450 },
        { currency: 'USD', amount: 450 },
      ],
    ])
      expectError(await client.post(path, { totals }), { code: 'PAYOUT_TOTALS_DIFFERENT', field: 'totals' })
    const large = await checked(
      client,
      (await sendLines(client, [payout(payee, 400), payout(payee, 101)])).id,
    )
    expectError(await execute(client, large), { code: 'INSUFFICIENT_BALANCE' })
    expect((await execute(client, readyBatch)).status).toBe(200)
    await waitForBatch(client, readyBatch.id, 'COMPLETED')
    expect(await balanceOf(client)).toBe(50)
  })

  test('pays the other lines if one can no longer be paid, and gives the reason', async () => {
    const { client, payee } = await newPayingPlatform(1000)
    const removedPayee = (
      await client.post('/platform/external-accounts', {
        currency: 'USD',
        accountInfo: usAccount('999000789'),
      })
    ).body.id
    const lines = [payout(payee, 400), payout(removedPayee, 10), payout(payee, 300), payout(payee, 200)]
    const readyBatch = await checked(client, (await sendLines(client, lines)).id)
    await client.send('DELETE', `/platform/external-accounts/${removedPayee}`)
    await execute(client, readyBatch)
    expect(await waitForBatch(client, readyBatch.id, 'COMPLETED')).toMatchObject({
      progress: { sent: 3, failed: 1 },
    })
    expect((await linesOf(client, readyBatch.id, '&status=FAILED'))[0]).toMatchObject({
      line: 2,
      error: { code: 'ACCOUNT_NOT_FOUND', field: 'accountId' },
    })
    expect(await balanceOf(client)).toBe(100)
  })

  test('that is executed fifty times in parallel pays once', async () => {
    const { client, payee } = await newPayingPlatform()
    const readyBatch = await checked(
      client,
      (
        await sendLines(
          client,
          Array.from({ length: 30 }, () => payout(payee, 10)),
        )
      ).id,
    )
    const replies = await Promise.all(Array.from({ length: 50 }, () => execute(client, readyBatch)))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const reply of replies.filter(({ status }) => status !== 200))
      expectError(reply, { code: 'INVALID_STATE_TRANSITION' })
    await waitForBatch(client, readyBatch.id, 'COMPLETED')
    expect(await balanceOf(client)).toBe(1_000_000 - 300)
    expect((await client.get('/transactions?limit=100')).body.totalCount).toBe(30)
  })

  test('of a file that another batch has paid is paid only on request, even if both are executed in parallel', async () => {
    const { client, payee } = await newPayingPlatform()
    const csv = `accountId,currency,amount\n${payee},USD,100\n`
    const [first, second, abandoned] = [
      await sendFile(client, csv),
      await sendFile(client, csv),
      await sendFile(client, csv),
    ]
    expect([first.sameFileAs, second.sameFileAs]).toEqual([undefined, first.id])
    const readyBatches = await Promise.all([first, second].map(({ id }) => checked(client, id)))
    await checked(client, abandoned.id)
    expect((await client.post(`/payouts/batches/${abandoned.id}/cancel`)).status).toBe(200)
    const replies = await Promise.all(readyBatches.map((batch) => execute(client, batch)))
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409])
    const refusedIndex = replies.findIndex(({ status }) => status === 409)
    expectError(replies[refusedIndex]!, { code: 'PAYOUT_FILE_PAID_BEFORE', field: 'payAgain' })
    expect(replies[refusedIndex]!.body.details.payoutBatchId).toBe(readyBatches[1 - refusedIndex]!.id)
    expect((await execute(client, readyBatches[refusedIndex]!, { payAgain: true })).status).toBe(200)
    await waitForBatch(client, readyBatches[refusedIndex]!.id, 'COMPLETED')
    const otherFile = await sendFile(client, `accountId,currency,amount\n${payee},USD,101\n`)
    expect(otherFile).not.toHaveProperty('sameFileAs')
  })

  test('that is canceled pays nothing', async () => {
    const { client, payee } = await newPayingPlatform()
    const readyBatch = await checked(client, (await sendLines(client, [payout(payee, 10)])).id)
    expect((await client.post(`/payouts/batches/${readyBatch.id}/cancel`)).body).toMatchObject({
      status: 'CANCELED',
    })
    expectError(await execute(client, readyBatch), { code: 'INVALID_STATE_TRANSITION' })
    expectError(await client.post(`/payouts/batches/${readyBatch.id}/cancel`), {
      code: 'INVALID_STATE_TRANSITION',
    })
    await client.advance(0)
    expect(await balanceOf(client)).toBe(1_000_000)
  })

  test('may have ten thousand lines in one call, and no more', { tags: 'long' }, async () => {
    const { client, payee } = await newPayingPlatform()
    const lines = Array.from({ length: 10_000 }, (_, index) =>
      payout(payee, 10, { reference: `line ${index}` }),
    )
    const created = await sendLines(client, lines)
    expect(created.progress.lines).toBe(10_000)
    expectError(await client.post('/payouts/batches', { lines: [...lines, payout(payee, 1)] }), {
      code: 'INVALID_INPUT',
      field: 'lines',
    })
    expect(await checked(client, created.id)).toMatchObject({ progress: { checked: 10_000, faulty: 0 } })
  })
})

describe('access to payout batches', () => {
  test('requires an account of the platform as payer, and batches of other platforms are not found', async () => {
    const { client, payee } = await newPayingPlatform()
    const customer = await newCustomer(client)
    await fund(client, customer.usd, 500)
    for (const more of [{ sourceAccountId: customer.usd }, { source: { accountId: customer.wallet } }])
      expect((await client.post('/payouts/batches', { lines: [payout(payee, 1, more)] })).status).toBe(400)
    const readyBatch = await checked(client, (await sendLines(client, [payout(payee, 10)])).id)
    const otherPlatform = await newPlatform()
    for (const path of ['', '/lines', '/lines.csv'])
      expectError(await otherPlatform.get(`/payouts/batches/${readyBatch.id}${path}`), {
        code: 'PAYOUT_BATCH_NOT_FOUND',
      })
    expectError(await execute(otherPlatform, readyBatch), { code: 'PAYOUT_BATCH_NOT_FOUND' })
    expectError(await otherPlatform.post(`/payouts/batches/${readyBatch.id}/cancel`), {
      code: 'PAYOUT_BATCH_NOT_FOUND',
    })
    expect((await otherPlatform.get('/payouts/batches')).body.data).toEqual([])
  })

  test('requires TRANSACT to create, execute or cancel a batch', async () => {
    const { client, payee } = await newPayingPlatform()
    const { body } = await client.post('/tokens', { name: 'Reader', permissions: ['VIEW', 'MANAGE'] })
    const reader = new Client(
      { ...client.credentials, tokenId: body.id, clientSecret: body.clientSecret },
      client.baseUrl,
    )
    expectError(await reader.post('/payouts/batches', { lines: [payout(payee, 1)] }), { code: 'FORBIDDEN' })
    const readyBatch = await checked(client, (await sendLines(client, [payout(payee, 10)])).id)
    expectError(await execute(reader, readyBatch), { code: 'FORBIDDEN' })
    expectError(await reader.post(`/payouts/batches/${readyBatch.id}/cancel`), { code: 'FORBIDDEN' })
  })

  test('lets the second of two required members execute the batch, but no API token', async () => {
    const { client, payee } = await newPayingPlatform()
    const readyBatch = await checked(client, (await sendLines(client, [payout(payee, 10)])).id)
    const members = await Promise.all([1, 2].map(() => newMember(client, ['VIEW', 'APPROVE'])))
    await client.send('PATCH', '/config', { approvalsRequired: 2 })
    expectError(await execute(client, readyBatch), { code: 'FORBIDDEN' })
    for (let vote = 0; vote < 2; vote++)
      expect((await execute(members[0]!.browser, readyBatch)).body).toMatchObject({
        status: 'AWAITING_APPROVAL',
      })
    expect(await balanceOf(client)).toBe(1_000_000)
    const listApprovals = async () => (await client.get('/approvals')).body.data
    expect(await listApprovals()).toMatchObject([
      {
        kind: 'PAYOUT_BATCH',
        objectId: readyBatch.id,
        amount: { amount: 10 },
        policy: { words: '1 payment of Payroll. The platform requires several approvals.' },
        votes: [{ memberName: 'Grace Hopper' }],
        votesRequired: 2,
      },
    ])
    expect((await client.get('/overview')).body.waiting.approvals).toBe(1)
    expect((await execute(members[1]!.browser, readyBatch)).body).toMatchObject({ status: 'SENDING' })
    await waitForBatch(client, readyBatch.id, 'COMPLETED')
    expect(await listApprovals()).toEqual([])
    expect(await balanceOf(client)).toBe(1_000_000 - 10)
  })
})
