import { expect } from 'vitest'
import { requireValue } from '../../../src/base/formats/require-value.ts'
import type { SampleReturn } from '../../../src/outside/bank-files/formats/bacs-samples.testing.ts'
import { BankBalance, camtFile } from '../../../src/outside/bank-files/formats/samples.testing.ts'
import { type Reply, until } from '../client.testing.ts'
import { newMandate, newPoundAccount } from '../records/external-accounts.testing.ts'
import { type FileBank, findDepositReference, holdPounds, openFileBank } from './file-bank.testing.ts'

/** Parses the records of a file by position, and its processing day. */
function parseFile(text: string) {
  const lines = text.split('\r\n').slice(0, -1)
  const [, year = '', day = ''] = /UHL1 (\d\d)(\d{3})/.exec(text) ?? []
  const processedOn = new Date(Date.UTC(2000 + Number(year), 0, Number(day))).toISOString().slice(0, 10)
  const items = lines
    .filter((line) => line.length === 100)
    .map((line) => ({
      code: line.slice(15, 17),
      sortCode: line.slice(0, 6),
      account: line.slice(6, 14),
      amount: (Number(line.slice(35, 46)) / 100).toFixed(2),
      from: line.slice(46, 64).trim(),
      reference: line.slice(64, 82).trim(),
      name: line.slice(82).trim(),
    }))
  const item = requireValue(items[0], 'record')
  return { text, processedOn, items, item, contra: requireValue(items.at(-1), 'record') }
}
export type Sent = ReturnType<typeof parseFile>

export const returnOf = ({ item, processedOn }: Sent, code: string, more: Partial<SampleReturn> = {}) => ({
  ...{ ref: item.reference, code, words: '', amount: item.amount, processedOn },
  ...{ sortCode: item.sortCode, account: item.account },
  ...more,
})

interface Payee {
  readonly customerId: string
  readonly account: string
  readonly external: { readonly id: string; readonly accountNumber: string }
}

export interface Payer extends Payee {
  readonly mandate: Reply['body']
}

export type BacsBank = Awaited<ReturnType<typeof openBacsBank>>

export async function openBacsBank(settings: Record<string, string> = {}) {
  const bank: FileBank = await openFileBank('BACS', {}, settings)
  await holdPounds(bank.world)

  const readSent = async () => parseFile((await bank.takeFile()).text)

  const balance = new BankBalance()
  let files = 0

  /** Books an entry on a statement with balances. */
  async function book(amount: string, direction: 'CRDT' | 'DBIT', more: object): Promise<void> {
    const id = `BACS-${++files}`
    const entries = [{ amount, direction, servicerReference: id, ...more }]
    const text = camtFile({ id, balances: balance.book(entries), entries })
      .replaceAll('EUR', 'GBP')
      .replace(/<IBAN>.*?<\/IBAN>/, '<Othr><Id>60-16-13 12345678</Id></Othr>')
    expect(await bank.put(`${id}.xml`, text)).toBe('done')
  }

  const put = (text: string, name = `report-${++files}.xml`) => bank.put(name, text)

  /** Creates a customer with 100 pounds and an external account. */
  async function newPayee() {
    const { customerId, account } = await bank.customer()
    await book('100.00', 'CRDT', {
      transactions: [{ amount: '100.00', text: findDepositReference(account) }],
    })
    await bank.waitForBalance(customerId, 10_000n)
    const external = await newPoundAccount(bank.world.client, customerId)
    return { customerId, account: account.id, external }
  }

  async function newPayer(more: object = {}) {
    const { customerId, account } = await bank.customer()
    const external = await newPoundAccount(bank.world.client, customerId)
    const mandate = await newMandate(bank.world.client, external.id, more)
    return { customerId, account: account.id, external, mandate }
  }

  /** Creates a payer whose bank has received the mandate's instruction. */
  async function newKnownPayer(more: object = {}) {
    const payer = await newPayer(more)
    return { ...payer, instruction: await readSent() }
  }

  const send = (payee: Payee, amount: number, more: object = {}) =>
    bank.world.client.post('/transfer-out', {
      ...{ source: { accountId: payee.account }, destination: { accountId: payee.external.id }, amount },
      ...more,
    })
  const pull = ({ external, account }: Payer, amount: number): Promise<Reply> =>
    bank.world.client.post('/transfer-in', {
      ...{ source: { accountId: external.id }, destination: { accountId: account }, amount },
    })
  const made = async (reply: Promise<Reply>): Promise<string> => {
    const { status, body } = await reply
    expect(status, JSON.stringify(body)).toBe(201)
    return body.id
  }

  const mandateOf = async ({ mandate }: Payer) =>
    (await bank.world.client.get(`/mandates/${mandate.id}`)).body
  /** Returns the reasons of the reports that `work` leaves waiting for a person. */
  async function heldBy(work: () => Promise<unknown>): Promise<string[]> {
    const before = new Set((await bank.world.listWaitingReports()).map(({ id }) => id))
    await work()
    return (await bank.world.listWaitingReports())
      .filter(({ id }) => !before.has(id))
      .map(({ reason }) => reason)
  }

  /** Lets the time pass in which payments and collections may be returned. */
  async function passReturnTime(): Promise<void> {
    const { db, workers } = bank.world.service.app
    await until(
      async () => (await db.query(`SELECT 1 FROM bank_files WHERE accepted_at IS NULL`)).rows,
      (rows) => rows.length === 0,
    )
    await db.query(
      `UPDATE bank_files SET settles_at = 'epoch' WHERE settles_at IS NOT NULL AND settled_at IS NULL`,
    )
    workers.wake()
    await until(
      async () =>
        (await db.query(`SELECT 1 FROM bank_files WHERE settles_at = 'epoch' AND settled_at IS NULL`)).rows,
      (rows) => rows.length === 0,
    )
  }

  /** Makes a collection booked with the sum of its file, and credited. */
  async function credited(payer: Payer, amount = 2_500) {
    const id = await made(pull(payer, amount))
    const sent = await readSent()
    await book(sent.contra.amount, 'CRDT', { batch: sent.contra.from })
    expect(await bank.world.readTransaction(id)).toMatchObject({ status: 'PENDING' })
    await passReturnTime()
    await bank.world.waitForStatus(id, 'COMPLETED')
    await bank.waitForBalance(payer.customerId, BigInt(amount))
    return { id, ...sent }
  }

  return {
    ...bank,
    ...{
      readSent,
      book,
      put,
      newPayee,
      newPayer,
      newKnownPayer,
      send,
      pull,
      made,
      mandateOf,
    },
    ...{ heldBy, passReturnTime, credited },
  }
}
