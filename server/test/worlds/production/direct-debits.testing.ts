import type { SampleEntry } from '../../../src/outside/bank-files/formats/samples.testing.ts'

/** A direct debit in one of our files. */
export interface Collection {
  readonly instructionId: string
  readonly endToEndId: string
  readonly amount: string
}

export const parseCollections = (text: string): Collection[] =>
  [...text.matchAll(/<DrctDbtTxInf>.*?<\/DrctDbtTxInf>/g)].map(([element]) => ({
    instructionId: partOf(element, 'InstrId'),
    endToEndId: partOf(element, 'EndToEndId'),
    amount: /Ccy="EUR">(.*?)</.exec(element)?.[1] ?? '',
  }))

export const partOf = (text: string, name: string) =>
  new RegExp(`<${name}>(.*?)</${name}>`).exec(text)?.[1] ?? ''

export const booked = (collection: Collection): SampleEntry => ({
  amount: collection.amount,
  direction: 'CRDT',
  servicerReference: `IN-${collection.endToEndId}`,
  transactions: [collection],
})
export const returned = (collection: Collection, returnReason: string): SampleEntry => ({
  amount: collection.amount,
  direction: 'DBIT',
  servicerReference: `BACK-${collection.endToEndId}`,
  transactions: [{ ...collection, returnReason }],
})

export const statusFile = (message: string, inside: string) =>
  `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt><GrpHdr><MsgId>S</MsgId></GrpHdr><OrgnlGrpInfAndSts><OrgnlMsgId>${message}</OrgnlMsgId><OrgnlMsgNmId>pain.008.001.08</OrgnlMsgNmId></OrgnlGrpInfAndSts><OrgnlPmtInfAndSts><OrgnlPmtInfId>${message}</OrgnlPmtInfId>${inside}</OrgnlPmtInfAndSts></CstmrPmtStsRpt></Document>`
export const rejection = ({ instructionId, endToEndId }: Collection, code: string) =>
  `<TxInfAndSts><OrgnlInstrId>${instructionId}</OrgnlInstrId><OrgnlEndToEndId>${endToEndId}</OrgnlEndToEndId><TxSts>RJCT</TxSts><StsRsnInf><Rsn><Cd>${code}</Cd></Rsn></StsRsnInf></TxInfAndSts>`
