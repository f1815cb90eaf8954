/**
 * All currencies of ISO 4217 with minor units, including those withdrawn since 2015, so that files of any
 * bank can be read. The platform supports fewer (`CURRENCIES` of the contract).
 */
const TWO_DECIMALS = `
  AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW
  CNY COP COU CRC CUC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HRK HTG HUF
  IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRO MRU MUR MVR MWK MXN
  MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SLL SOS
  SRD SSP STD STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VEF VES WST XAD XCD XCG YER ZAR
  ZMW ZWG ZWL
`
const OTHER_DECIMALS = {
  0: 'BIF BYR CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
} as const

const ENTRIES: readonly (readonly [code: string, decimals: number])[] = [
  ...splitCodes(TWO_DECIMALS).map((code) => [code, 2] as const),
  ...Object.entries(OTHER_DECIMALS).flatMap(([decimals, list]) =>
    splitCodes(list).map((code) => [code, Number(decimals)] as const),
  ),
]

const DECIMALS: ReadonlyMap<string, number> = new Map(ENTRIES)

function splitCodes(list: string): readonly string[] {
  return list.trim().split(/\s+/)
}

/** The number of decimal places of an ISO 4217 currency. Undefined for unknown codes. */
export function getIso4217Decimals(code: string): number | undefined {
  return DECIMALS.get(code)
}

/** All known codes. */
export const ISO_4217_CODES: readonly string[] = ENTRIES.map(([code]) => code)
