import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { getVectorPath } from '../../../src/base/crypto/vectors.testing.ts'
import type { Reply } from '../../worlds/client.testing.ts'
import { statementOf } from '../../worlds/records/payments.testing.ts'
import { createBookedWorld, hasPython, runPythonReader } from '../accounting/accounting.testing.ts'

/** Reads a statement in a format and as JSON. */
async function readStatement(format: string): Promise<readonly [string, Reply['body']]> {
  const { client, customer } = await createBookedWorld()
  const to = new Date(Date.parse((await client.get('/sandbox/clock')).body.now) + 1000).toISOString()
  const query = `/statements?accountId=${customer.usd}&to=${to}`
  return [(await client.get(`${query}&format=${format}`)).body, await statementOf(client, customer.usd)]
}

const formatDecimal = (amount: number) => (amount / 100).toFixed(2)

const SCHEMA = getVectorPath('iso20022-xsd/camt.053.001.08.xsd')
const VALIDATE = `
import sys
from lxml import etree
schema = etree.XMLSchema(etree.parse(${JSON.stringify(SCHEMA)}))
schema.assertValid(etree.parse(sys.argv[1]))
print('valid')
`

describe.skipIf(!existsSync(SCHEMA) || !hasPython('lxml'))('a statement as camt.053', () => {
  test('is valid against the official schema', async () => {
    const [xml] = await readStatement('camt053')
    expect(runPythonReader(VALIDATE, 'statement.xml', xml).trim()).toBe('valid')
  })
})

const READ_MT940 = `
import json, sys
import mt940
found = mt940.parse(sys.argv[1])
print(json.dumps({
    'opening': str(found.data['final_opening_balance'].amount.amount),
    'closing': str(found.data['final_closing_balance'].amount.amount),
    'lines': [str(one.data['amount'].amount) for one in found],
}))
`

describe.skipIf(!hasPython('mt940'))('a statement as MT940', () => {
  test('is read by another program with the balances and lines of the statement', async () => {
    const [text, statement] = await readStatement('mt940')
    expect(JSON.parse(runPythonReader(READ_MT940, 'statement.sta', text))).toEqual({
      opening: formatDecimal(statement.openingBalance),
      closing: formatDecimal(statement.closingBalance),
      lines: statement.lines.map(({ amount }: { amount: number }) => formatDecimal(amount)),
    })
  })
})

const READ_OFX = `
import json, sys
from ofxtools.Parser import OFXTree
tree = OFXTree()
tree.parse(sys.argv[1])
statement = tree.convert().statements[0]
print(json.dumps({
    'currency': statement.curdef,
    'closing': str(statement.ledgerbal.balamt),
    'lines': [str(one.trnamt) for one in statement.transactions],
    'ids': len(set(one.fitid for one in statement.transactions)),
}))
`

describe.skipIf(!hasPython('ofxtools'))('a statement as OFX', () => {
  test('is read by another program with the balance and lines of the statement', async () => {
    const [text, statement] = await readStatement('ofx')
    expect(JSON.parse(runPythonReader(READ_OFX, 'statement.ofx', text))).toEqual({
      currency: 'USD',
      closing: formatDecimal(statement.closingBalance),
      lines: statement.lines.map(({ amount }: { amount: number }) => formatDecimal(amount)),
      ids: statement.lines.length,
    })
  })
})
