import { expect, test } from 'vitest'
import { readIsoMessages } from './iso-messages.ts'
import { all, bytesOf } from './samples.testing.ts'
import { UnreadableFile } from './unreadable-file.ts'

const read = async (xml: string) => (await all(readIsoMessages(bytesOf(xml)))).map(({ record }) => record)

const file = (inside: string, namespace = 'urn:iso:std:iso:20022:tech:xsd:pain.002.001.10') =>
  `<?xml version="1.0"?><Document xmlns="${namespace}"><CstmrPmtStsRpt><GrpHdr><MsgId>S-1</MsgId></GrpHdr>${inside}</CstmrPmtStsRpt></Document>`

const GROUP = (status: string) =>
  `<OrgnlGrpInfAndSts><OrgnlMsgId>CS-7</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId>${status}</OrgnlGrpInfAndSts>`

const VERSIONS = Array.from({ length: 12 }, (_, index) => String(index + 3).padStart(2, '0'))

test.each([
  ...VERSIONS.map((version) => `urn:iso:std:iso:20022:tech:xsd:pain.002.001.${version}`),
  'urn:iso:std:iso:20022:tech:xsd:pain.002.003.03',
  'urn:iso:std:iso:20022:tech:xsd:pain.002.002.03',
  'urn:iso:std:iso:20022:tech:xsd:pain.002.001.03.austrian.002',
  'ISO:pain.002.001.03:APC:STUZZA:payments:002',
])(
  'a pain.002 file in namespace %s yields the status and reasons of the file, the batch and each payment',
  async (namespace) => {
    const payments = `<OrgnlPmtInfAndSts><OrgnlPmtInfId>CS-7</OrgnlPmtInfId><PmtInfSts>PART</PmtInfSts>
    <TxInfAndSts><OrgnlInstrId>0198</OrgnlInstrId><OrgnlEndToEndId>CS01</OrgnlEndToEndId><TxSts>RJCT</TxSts>
      <StsRsnInf><Rsn><Cd>AC04</Cd></Rsn><AddtlInf>account</AddtlInf><AddtlInf>closed</AddtlInf></StsRsnInf>
      <OrgnlTxRef><Amt><InstdAmt Ccy="EUR">12.50</InstdAmt></Amt></OrgnlTxRef></TxInfAndSts>
    <TxInfAndSts><OrgnlEndToEndId>CS02</OrgnlEndToEndId><TxSts>ACSC</TxSts><AcctSvcrRef>B-9</AcctSvcrRef></TxInfAndSts></OrgnlPmtInfAndSts>`
    expect(await read(file(GROUP('<GrpSts>PART</GrpSts>') + payments, namespace))).toMatchObject([
      { level: 'FILE', originalMessageId: 'CS-7', status: 'PART', reasons: [] },
      {
        level: 'PAYMENT',
        status: 'RJCT',
        instructionId: '0198',
        endToEndId: 'CS01',
        amount: 1_250n,
        currency: 'EUR',
        reasons: [{ code: 'AC04', text: 'account closed' }],
        originalPaymentInformationId: 'CS-7',
      },
      {
        level: 'PAYMENT',
        status: 'ACSC',
        instructionId: null,
        endToEndId: 'CS02',
        servicerReference: 'B-9',
        amount: null,
      },
      { level: 'BATCH', originalMessageId: 'CS-7', status: 'PART' },
    ])
  },
)

test('a pain.002 rejection of a whole file has its reason', async () => {
  const reason = '<StsRsnInf><Rsn><Prtry>DUPL-FILE</Prtry></Rsn></StsRsnInf>'
  expect(await read(file(GROUP(`<GrpSts>RJCT</GrpSts>${reason}`)))).toMatchObject([
    { level: 'FILE', status: 'RJCT', reasons: [{ code: 'DUPL-FILE', text: null }] },
  ])
})

test.each([
  ['no status', file('')],
  ['a status without a file id', file('<OrgnlGrpInfAndSts><GrpSts>ACCP</GrpSts></OrgnlGrpInfAndSts>')],
  ['another message', file(GROUP(''), 'urn:iso:std:iso:20022:tech:xsd:pain.002.001.15')],
  ['a truncated end', file(GROUP('<GrpSts>RJCT</GrpSts>')).slice(0, -20)],
])('a pain.002 file with %s is refused', async (_, xml) => {
  await expect(read(xml)).rejects.toThrow(UnreadableFile)
})

test.each(['<InstdAmt Ccy="EUR">x</InstdAmt>', '<InstdAmt Ccy="ZZZ">1</InstdAmt>', '<EqvtAmt/>'])(
  'a pain.002 status is read even if its amount is unreadable: %s',
  async (amount) => {
    const payment = `<OrgnlPmtInfAndSts><TxInfAndSts><TxSts>ACSC</TxSts><OrgnlTxRef><Amt>${amount}</Amt></OrgnlTxRef></TxInfAndSts></OrgnlPmtInfAndSts>`
    expect((await read(file(GROUP('') + payment)))[1]).toMatchObject({
      status: 'ACSC',
      amount: null,
      currency: null,
    })
  },
)

test('a pain.002 status before the id of its file waits for manual review, and the others are read', async () => {
  const early = '<OrgnlPmtInfAndSts><PmtInfSts>ACSC</PmtInfSts></OrgnlPmtInfAndSts>'
  const records = await all(readIsoMessages(bytesOf(file(early + GROUP('<GrpSts>ACCP</GrpSts>')))))
  expect(records).toMatchObject([
    { of: 'UNREAD', record: { place: 'status 1' } },
    { of: 'PAIN_002', record: { level: 'FILE', status: 'ACCP' } },
  ])
})
