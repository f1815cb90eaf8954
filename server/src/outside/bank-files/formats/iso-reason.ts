import { allBelow, textBelow, type XmlElement } from './xml-records.ts'

/** Why a bank rejected or returned a payment: an ISO 20022 code or the bank's own, and its text. */
export interface IsoReason {
  readonly code: string | null
  readonly text: string | null
}

/** The reasons in elements such as `StsRsnInf` or `RtrInf`. */
export function reasonsOf(parent: XmlElement, name: string): readonly IsoReason[] {
  return allBelow(parent, name).map((element) => ({
    code: textBelow(element, 'Rsn/Cd', 'Rsn/Prtry') ?? null,
    text:
      allBelow(element, 'AddtlInf')
        .map(({ text }) => text)
        .join(' ') || null,
  }))
}
