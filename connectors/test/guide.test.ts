import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CONNECTOR_CALLS } from '@countersign/contract/connectors/calls'
import {
  FAILURE_EVENT_TYPES,
  PROGRESS_EVENT_TYPES,
  STATEMENT_ENTRY_KINDS,
} from '@countersign/contract/connectors/events'
import {
  CONNECTOR_FAILURE_CODES,
  callSigningId,
  PAYMENT_STATUSES,
  PaymentRequest,
} from '@countersign/contract/connectors/protocol'
import { readBody } from '@countersign/contract/connectors/reader'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { parseAccounts } from '../check/kit/accounts.ts'
import { GROUPS } from '../check/run.ts'
import { DEFAULT_BEHAVIOUR } from '../example-bank/outcomes.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const protocol = await readFile(join(ROOT, 'docs/connectors/README.md'), 'utf8')
const guide = await readFile(join(ROOT, 'docs/connectors/build-a-connector.md'), 'utf8')

const SECRET = /`(whsec_[\w+/=]+)`/.exec(protocol)![1]!

/** The HTTP examples with method, path, headers and body. */
const requests = [...protocol.matchAll(/```http\n([\s\S]*?)```/g)].map(([, text]) => {
  const [head = '', body = ''] = text!.trim().split('\n\n')
  const [first = '', ...lines] = head.split('\n')
  const [method, path] = first.split(' ')
  const headers = Object.fromEntries(
    lines.map((line) => line.split(/: (.*)/, 2) as [string, string]),
  ) as Readonly<Record<string, string>>
  return { method: method as 'GET' | 'POST', path: path!, headers, body }
})

test('the signatures in the examples of the connector protocol are valid, and their webhook-id matches the call', () => {
  expect(requests.map(({ method }) => method)).toEqual(['POST', 'GET'])
  for (const { method, path, headers, body } of requests) {
    const id = headers['webhook-id']!
    expect(id).toBe(callSigningId(method, path, headers['Idempotency-Key']))
    const at = new Date(Number(headers['webhook-timestamp']) * 1000)
    expect(headers['webhook-signature']).toBe(new Webhook(SECRET).sign(id, at, body))
  }
})

test('the payment example of the connector protocol matches its schema', () => {
  expect(readBody(PaymentRequest, JSON.parse(requests[0]!.body)).fault).toBeUndefined()
})

test('the connector protocol page names every status, event, entry kind, failure and call', () => {
  const names = [
    ...PAYMENT_STATUSES,
    ...PROGRESS_EVENT_TYPES,
    ...FAILURE_EVENT_TYPES,
    ...STATEMENT_ENTRY_KINDS,
    ...CONNECTOR_FAILURE_CODES,
    ...Object.values(CONNECTOR_CALLS).map(({ path }) => path),
  ]
  expect(names.filter((name) => !protocol.includes(name))).toEqual([])
})

test('the code in the connector guide is the code of the example bank', async () => {
  const blocks = [...guide.matchAll(/(?:From `([^`]+)`:\n\n)?```ts\n([\s\S]*?)```/g)]
  expect(blocks.length).toBeGreaterThan(5)
  let file = ''
  for (const [, named, code] of blocks) {
    // A block without a file name belongs to the previous file.
    file = named ?? file
    expect((await readFile(join(ROOT, file), 'utf8')).includes(code!), `${file} has\n${code}`).toBe(true)
  }
})

test('the accounts file in the connector guide is valid, and the guide names every field', () => {
  const [, text] = /```json\n([\s\S]*?)```/.exec(guide)!
  const accounts = parseAccounts(text!)
  for (const name of Object.keys(accounts)) expect(guide).toMatch(new RegExp(`\`(?:\\{)?${name}`))
  expect(() => parseAccounts(text!.replace('"currency"', '"money"'))).toThrow('The accounts file is invalid')
})

test('the connector guide names every group of the kit and every setting of the example bank', () => {
  const names = [...guide.matchAll(/--group (?:"([^"]+)"|(\w+))/g)].map(([, quoted, word]) => quoted ?? word)
  expect(names.length).toBeGreaterThan(6)
  expect(names.filter((name) => !GROUPS.some((group) => group.name === name))).toEqual([])
  const members = Object.entries(DEFAULT_BEHAVIOUR).map(([name, value]) => `| \`${name}\` | ${value} |`)
  expect(members.filter((line) => !guide.includes(line))).toEqual([])
})
