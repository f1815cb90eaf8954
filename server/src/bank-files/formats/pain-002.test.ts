import { expect, test } from 'vitest'
import { all, bytesOf } from './bytes.testing.ts'
import { readPain002 } from './pain-002.ts'
import { UnreadableFile } from './unreadable-file.ts'

const read = (xml: string) => all(readPain002(bytesOf(xml)))

const file = (inside: string, version = '10') =>
  `<?xml version="1.0"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.${version}"><CstmrPmtStsRpt><GrpHdr><MsgId>S-1</MsgId></GrpHdr>${inside}</CstmrPmtStsRpt></Document>`

const GROUP = (status: string) =>
  `<OrgnlGrpInfAndSts><OrgnlMsgId>CS-7</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId>${status}</OrgnlGrpInfAndSts>`

test.each(['10', '03'])(
  'version .%s: the file, each payment and the batch say their status and why',
  async (version) => {
    const payments = `<OrgnlPmtInfAndSts><OrgnlPmtInfId>CS-7</OrgnlPmtInfId><PmtInfSts>PART</PmtInfSts>
    <TxInfAndSts><OrgnlInstrId>0198</OrgnlInstrId><OrgnlEndToEndId>CS01</OrgnlEndToEndId><TxSts>RJCT</TxSts>
      <StsRsnInf><Rsn><Cd>AC04</Cd></Rsn><AddtlInf>account</AddtlInf><AddtlInf>closed</AddtlInf></StsRsnInf>
      <OrgnlTxRef><Amt><InstdAmt Ccy="EUR">12.50</InstdAmt></Amt></OrgnlTxRef></TxInfAndSts>
    <TxInfAndSts><OrgnlEndToEndId>CS02</OrgnlEndToEndId><TxSts>ACSC</TxSts><AcctSvcrRef>B-9</AcctSvcrRef></TxInfAndSts></OrgnlPmtInfAndSts>`
    expect(await read(file(GROUP('<GrpSts>PART</GrpSts>') + payments, version))).toMatchObject([
      { level: 'FILE', originalMessageId: 'CS-7', status: 'PART', reasons: [] },
      {
        level: 'PAYMENT',
        status: 'RJCT',
        instructionId: '0198',
        endToEndId: 'CS01',
        amount: 1_250n,
        currency: 'EUR',
        reasons: [{ code: 'AC04', text: 'account closed' }],
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

test('a file that was refused whole says why', async () => {
  const reason = '<StsRsnInf><Rsn><Prtry>DUPL-FILE</Prtry></Rsn></StsRsnInf>'
  expect(await read(file(GROUP(`<GrpSts>RJCT</GrpSts>${reason}`)))).toMatchObject([
    { level: 'FILE', status: 'RJCT', reasons: [{ code: 'DUPL-FILE', text: null }] },
  ])
})

test.each([
  ['no status', file('')],
  ['a status of no file', file('<OrgnlGrpInfAndSts><GrpSts>ACCP</GrpSts></OrgnlGrpInfAndSts>')],
  ['another message', file(GROUP(''), '11')],
  ['an end in the middle', file(GROUP('<GrpSts>RJCT</GrpSts>')).slice(0, -20)],
  [
    'an amount that is none',
    file(
      `${GROUP('')}<OrgnlPmtInfAndSts><TxInfAndSts><OrgnlTxRef><Amt><InstdAmt Ccy="EUR">x</InstdAmt></Amt></OrgnlTxRef></TxInfAndSts></OrgnlPmtInfAndSts>`,
    ),
  ],
])('a status file with %s is refused', async (_, xml) => {
  await expect(read(xml)).rejects.toThrow(UnreadableFile)
})
