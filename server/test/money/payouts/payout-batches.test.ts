import { describe, expect, test } from 'vitest'
import { Client, fund, newCustomer, newPlatform } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { newMember } from '../../worlds/records/members.testing.ts'
import {
  balanceOf,
  batchIn,
  checked,
  execute,
  linesOf,
  payingPlatform,
  payout,
  sendFile,
  sendLines,
  usAccount,
} from '../../worlds/records/payouts.testing.ts'

const HEADER =
  'accountId,accountInfo.accountType,accountInfo.accountNumber,accountInfo.routingNumber,accountInfo.beneficiary.beneficiaryType,accountInfo.beneficiary.fullName,currency,amount,paymentRail,remittanceInformation,reference'

describe('a batch of payouts', () => {
  test('is checked without a payment, and pays each line as a transfer out', async () => {
    const { client, payee } = await payingPlatform()
    const made = await sendLines(client, [
      payout(payee, 100, { reference: 'a' }),
      payout(payee, 250, { reference: 'b', remittanceInformation: 'Salary May' }),
    ])
    expect(made).toMatchObject({
      status: 'CHECKING',
      name: 'Payroll',
      progress: { lines: 2, checked: 0 },
      totals: [],
    })
    const ready = await checked(client, made.id)
    expect(ready).toMatchObject({
      status: 'READY',
      progress: { lines: 2, checked: 2, faulty: 0, sent: 0, failed: 0 },
      totals: [{ rail: expect.any(String), lines: 2, total: { amount: 350, currency: { code: 'USD' } } }],
    })
    expect(await balanceOf(client)).toBe(1_000_000)
    expect((await client.get('/transactions')).body.data).toEqual([])

    expect((await execute(client, ready)).body).toMatchObject({ status: 'SENDING' })
    const done = await batchIn(client, made.id, 'COMPLETED')
    expect(done.progress).toEqual({ lines: 2, checked: 2, faulty: 0, sent: 2, failed: 0 })
    expect(await balanceOf(client)).toBe(1_000_000 - 350)
    const [, second] = await linesOf(client, made.id)
    expect(second).toMatchObject({
      line: 2,
      status: 'SENT',
      reference: 'b',
      accountId: payee,
      amount: { amount: 250 },
    })
    const single = {
      source: { accountId: (await client.get('/platform/internal-accounts?currency=USD')).body.data[0].id },
    }
    const called = await client.post('/transfer-out', {
      ...single,
      destination: { accountId: payee },
      amount: 250,
      remittanceInformation: 'Salary May',
    })
    const shape = ({
      id: _i,
      createdAt: _c,
      updatedAt: _u,
      settledAt: _s,
      status: _t,
      reconciliationInstructions: _r,
      ...rest
    }: Record<string, unknown>) => rest
    const { body: paid } = await client.get(`/transactions/${second.transactionId}`)
    const { body: alone } = await client.get(`/transactions/${called.body.id}`)
    expect(shape(paid)).toEqual(shape(alone))
    const events = await client.events(`&objectId=${made.id}`)
    expect(events.map(({ type }: { type: string }) => type)).toEqual([
      'PAYOUT_BATCH.CHECKED',
      'PAYOUT_BATCH.COMPLETED',
    ])
    expect(events[1].data).toEqual(done)
  })

  test('of a file adds each new payee once, and uses existing ones', async () => {
    const { client, payee } = await payingPlatform()
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
    const ready = await checked(client, id)
    expect(ready).toMatchObject({ status: 'READY', progress: { lines: 4, faulty: 0 } })
    expect((await client.get('/platform/external-accounts')).body.totalCount).toBe(before)
    await execute(client, ready)
    await batchIn(client, id, 'COMPLETED')
    const lines = await linesOf(client, id)
    expect(lines.map(({ status }) => status)).toEqual(['SENT', 'SENT', 'SENT', 'SENT'])
    expect(lines[0].accountId).toBe(lines[1].accountId)
    expect([lines[2].accountId, lines[3].accountId]).toEqual([payee, payee])
    expect((await client.get('/platform/external-accounts')).body.totalCount).toBe(before + 1)
    expect(await balanceOf(client)).toBe(1_000_000 - 100)
  })

  test('names every fault of its rows, with line, field and code, and pays the others only on request', async () => {
    const { client, payee } = await payingPlatform()
    const [customer, other] = [await newCustomer(client), await payingPlatform()]
    const theirs = (
      await client.post('/customers/external-accounts', {
        customerId: customer.id,
        currency: 'USD',
        accountInfo: usAccount('888000789'),
      })
    ).body.id
    const info = 'USD_ACCOUNT,600000789,021000021,INDIVIDUAL,Grace Hopper'
    const none = ',,,,'
    const rows: readonly (readonly [string, string | null, string | null])[] = [
      [`${payee},${none},USD,100,,,a`, null, null],
      [`${payee},${none},USD,0,,,b`, 'INVALID_INPUT', 'amount'],
      [`${payee},${none},USD,ten,,,c`, 'INVALID_INPUT', 'amount'],
      [`${payee},${none},XYZ,100,,,d`, 'INVALID_CURRENCY', 'currency'],
      [`${payee},${none},EUR,100,,,e`, 'INVALID_CURRENCY', 'accountId'],
      [`${payee},${none},USD,99999999999999,,,f`, 'AMOUNT_OUT_OF_RANGE', 'amount'],
      [`${payee},${none},USD,100,SEPA,,g`, 'INVALID_INPUT', 'paymentRail'],
      [`${payee},${none},USD,100,,,a`, 'INVALID_INPUT', 'reference'],
      [`${theirs},${none},USD,100,,,h`, 'ACCOUNT_NOT_FOUND', 'accountId'],
      [`${other.payee},${none},USD,100,,,i`, 'ACCOUNT_NOT_FOUND', 'accountId'],
      [`,${none},USD,100,,,j`, 'INVALID_INPUT', 'accountId'],
      [`${payee},${info},USD,100,,,k`, 'INVALID_INPUT', 'accountId'],
      [
        `,USD_ACCOUNT,600000789,123,INDIVIDUAL,Grace Hopper,USD,100,,,l`,
        'INVALID_BANK_ACCOUNT',
        'accountInfo.routingNumber',
      ],
      [`${payee},USD`, 'INVALID_INPUT', 'row'],
      [`${payee},${none},USD,200,,,last`, null, null],
    ]
    const { id } = await sendFile(client, [HEADER, ...rows.map(([row]) => row)].join('\n'))
    const ready = await checked(client, id)
    expect(ready).toMatchObject({ progress: { lines: 15, checked: 15, faulty: 13 } })
    const lines = await linesOf(client, id)
    expect(lines.map(({ line, error }) => [line, error?.code ?? null, error?.field ?? null])).toEqual(
      rows.map(([, code, field], index) => [index + 1, code, field]),
    )
    expect((await linesOf(client, id, '&status=FAULTY')).length).toBe(13)
    const csv = (await client.get(`/payouts/batches/${id}/lines.csv?status=FAULTY`)).body
    expect(String(csv).trim().split(/\r?\n/)).toHaveLength(14)
    expectError(await execute(client, ready), { code: 'PAYOUT_BATCH_FAULTY', field: 'skipFaulty' })
    await execute(client, ready, { skipFaulty: true })
    expect(await batchIn(client, id, 'COMPLETED')).toMatchObject({
      progress: { sent: 2, failed: 0, faulty: 13 },
    })
    expect(await balanceOf(client)).toBe(1_000_000 - 300)
  })

  test.each([
    ['an unknown column', 'accountId,currency,amont\n', 0, /did you mean amount/],
    ['no column amount', 'accountId,currency\n', 0, /no column amount/],
    ['no payouts', 'accountId,currency,amount\n', 1, /no payouts/],
    ['a quote that does not end', 'accountId,currency,amount\nx,USD,1\n"x,USD,1\n', 2, /does not end/],
  ])('of a file with %s fails, names the place, and cannot be executed', async (_, csv, line, message) => {
    const client = await newPlatform()
    const { id } = await sendFile(client, csv)
    const failed = await checked(client, id)
    expect(failed).toMatchObject({
      status: 'FAILED',
      error: { code: 'INVALID_INPUT', line, message: expect.stringMatching(message) },
      completedAt: expect.any(String),
    })
    const stated = { totals: [{ currency: 'USD', amount: 1 }] }
    expectError(await client.post(`/payouts/batches/${id}/execute`, stated), {
      code: 'INVALID_STATE_TRANSITION',
    })
  })

  test('is not executed with wrong totals or beyond the balance', async () => {
    const { client, payee } = await payingPlatform(500)
    const ready = await checked(client, (await sendLines(client, [payout(payee, 400), payout(payee, 50)])).id)
    const path = `/payouts/batches/${ready.id}/execute`
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
    expect((await execute(client, ready)).status).toBe(200)
    await batchIn(client, ready.id, 'COMPLETED')
    expect(await balanceOf(client)).toBe(50)
  })

  test('pays the other lines if one can no longer be paid, and gives the reason', async () => {
    const { client, payee } = await payingPlatform(1000)
    const extra = (
      await client.post('/platform/external-accounts', {
        currency: 'USD',
        accountInfo: usAccount('999000789'),
      })
    ).body.id
    const lines = [payout(payee, 400), payout(extra, 10), payout(payee, 300), payout(payee, 200)]
    const ready = await checked(client, (await sendLines(client, lines)).id)
    await client.send('DELETE', `/platform/external-accounts/${extra}`)
    await execute(client, ready)
    expect(await batchIn(client, ready.id, 'COMPLETED')).toMatchObject({ progress: { sent: 3, failed: 1 } })
    expect((await linesOf(client, ready.id, '&status=FAILED'))[0]).toMatchObject({
      line: 2,
      error: { code: 'ACCOUNT_NOT_FOUND', field: 'accountId' },
    })
    expect(await balanceOf(client)).toBe(100)
  })

  test('executed fifty times in parallel pays once', async () => {
    const { client, payee } = await payingPlatform()
    const ready = await checked(
      client,
      (
        await sendLines(
          client,
          Array.from({ length: 30 }, () => payout(payee, 10)),
        )
      ).id,
    )
    const replies = await Promise.all(Array.from({ length: 50 }, () => execute(client, ready)))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const reply of replies.filter(({ status }) => status !== 200))
      expectError(reply, { code: 'INVALID_STATE_TRANSITION' })
    await batchIn(client, ready.id, 'COMPLETED')
    expect(await balanceOf(client)).toBe(1_000_000 - 300)
    expect((await client.get('/transactions?limit=100')).body.totalCount).toBe(30)
  })

  test('of a file that another batch has paid is paid only on request, also of two at the same moment', async () => {
    const { client, payee } = await payingPlatform()
    const csv = `accountId,currency,amount\n${payee},USD,100\n`
    const [first, second, abandoned] = [
      await sendFile(client, csv),
      await sendFile(client, csv),
      await sendFile(client, csv),
    ]
    expect([first.sameFileAs, second.sameFileAs]).toEqual([undefined, first.id])
    const ready = await Promise.all([first, second].map(({ id }) => checked(client, id)))
    await checked(client, abandoned.id)
    expect((await client.post(`/payouts/batches/${abandoned.id}/cancel`)).status).toBe(200)
    const replies = await Promise.all(ready.map((batch) => execute(client, batch)))
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409])
    const at = replies.findIndex(({ status }) => status === 409)
    expectError(replies[at]!, { code: 'PAYOUT_FILE_PAID_BEFORE', field: 'payAgain' })
    expect(replies[at]!.body.details.payoutBatchId).toBe(ready[1 - at]!.id)
    expect((await execute(client, ready[at]!, { payAgain: true })).status).toBe(200)
    await batchIn(client, ready[at]!.id, 'COMPLETED')
    const other = await sendFile(client, `accountId,currency,amount\n${payee},USD,101\n`)
    expect(other).not.toHaveProperty('sameFileAs')
  })

  test('that is canceled pays nothing more', async () => {
    const { client, payee } = await payingPlatform()
    const ready = await checked(client, (await sendLines(client, [payout(payee, 10)])).id)
    expect((await client.post(`/payouts/batches/${ready.id}/cancel`)).body).toMatchObject({
      status: 'CANCELED',
    })
    expectError(await execute(client, ready), { code: 'INVALID_STATE_TRANSITION' })
    expectError(await client.post(`/payouts/batches/${ready.id}/cancel`), {
      code: 'INVALID_STATE_TRANSITION',
    })
    await client.advance(0)
    expect(await balanceOf(client)).toBe(1_000_000)
  })

  test('may have ten thousand lines in one call, and no more', { tags: 'long' }, async () => {
    const { client, payee } = await payingPlatform()
    const lines = Array.from({ length: 10_000 }, (_, index) =>
      payout(payee, 10, { reference: `line ${index}` }),
    )
    const made = await sendLines(client, lines)
    expect(made.progress.lines).toBe(10_000)
    expectError(await client.post('/payouts/batches', { lines: [...lines, payout(payee, 1)] }), {
      code: 'INVALID_INPUT',
      field: 'lines',
    })
    expect(await checked(client, made.id)).toMatchObject({ progress: { checked: 10_000, faulty: 0 } })
  })
})

describe('access to payout batches', () => {
  test('needs an own account as payer, and a batch of another platform does not exist', async () => {
    const { client, payee } = await payingPlatform()
    const customer = await newCustomer(client)
    await fund(client, customer.usd, 500)
    for (const more of [{ sourceAccountId: customer.usd }, { source: { accountId: customer.wallet } }])
      expect((await client.post('/payouts/batches', { lines: [payout(payee, 1, more)] })).status).toBe(400)
    const ready = await checked(client, (await sendLines(client, [payout(payee, 10)])).id)
    const other = await newPlatform()
    for (const path of ['', '/lines', '/lines.csv'])
      expectError(await other.get(`/payouts/batches/${ready.id}${path}`), { code: 'PAYOUT_BATCH_NOT_FOUND' })
    expectError(await execute(other, ready), { code: 'PAYOUT_BATCH_NOT_FOUND' })
    expectError(await other.post(`/payouts/batches/${ready.id}/cancel`), { code: 'PAYOUT_BATCH_NOT_FOUND' })
    expect((await other.get('/payouts/batches')).body.data).toEqual([])
  })

  test('needs TRANSACT to create and to execute a batch', async () => {
    const { client, payee } = await payingPlatform()
    const { body } = await client.post('/tokens', { name: 'Reader', permissions: ['VIEW', 'MANAGE'] })
    const reader = new Client(
      { ...client.credentials, tokenId: body.id, clientSecret: body.clientSecret },
      client.baseUrl,
    )
    expectError(await reader.post('/payouts/batches', { lines: [payout(payee, 1)] }), { code: 'FORBIDDEN' })
    const ready = await checked(client, (await sendLines(client, [payout(payee, 10)])).id)
    expectError(await execute(reader, ready), { code: 'FORBIDDEN' })
    expectError(await reader.post(`/payouts/batches/${ready.id}/cancel`), { code: 'FORBIDDEN' })
  })

  test('lets the second of two required members execute the batch, and no API token', async () => {
    const { client, payee } = await payingPlatform()
    const ready = await checked(client, (await sendLines(client, [payout(payee, 10)])).id)
    const members = await Promise.all([1, 2].map(() => newMember(client, ['VIEW', 'APPROVE'])))
    await client.send('PATCH', '/config', { approvalsRequired: 2 })
    expectError(await execute(client, ready), { code: 'FORBIDDEN' })
    for (let vote = 0; vote < 2; vote++)
      expect((await execute(members[0]!.browser, ready)).body).toMatchObject({ status: 'AWAITING_APPROVAL' })
    expect(await balanceOf(client)).toBe(1_000_000)
    const waiting = async () => (await client.get('/approvals')).body.data
    expect(await waiting()).toMatchObject([
      {
        kind: 'PAYOUT_BATCH',
        objectId: ready.id,
        amount: { amount: 10 },
        policy: { words: '1 payment of Payroll. The platform requires several approvals.' },
        votes: [{ memberName: 'Grace Hopper' }],
        votesRequired: 2,
      },
    ])
    expect((await client.get('/overview')).body.waiting.approvals).toBe(1)
    expect((await execute(members[1]!.browser, ready)).body).toMatchObject({ status: 'SENDING' })
    await batchIn(client, ready.id, 'COMPLETED')
    expect(await waiting()).toEqual([])
    expect(await balanceOf(client)).toBe(1_000_000 - 10)
  })
})
