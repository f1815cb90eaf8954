import { findText, listElements, type XmlElement } from './xml-records.ts'

/**
 * The reason why a bank rejected or returned a payment: an ISO 20022 code or the bank's own code, and its
 * text.
 */
export interface IsoReason {
  readonly code: string | null
  readonly text: string | null
}

/** Parses the reasons in elements such as `StsRsnInf` or `RtrInf`. */
export function parseReasons(parent: XmlElement, name: string): readonly IsoReason[] {
  return listElements(parent, name).map((element) => ({
    code: findText(element, 'Rsn/Cd', 'Rsn/Prtry') ?? null,
    text:
      listElements(element, 'AddtlInf')
        .map(({ text }) => text)
        .join(' ') || null,
  }))
}
