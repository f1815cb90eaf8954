import { getOwnValue } from '@countersign/contract/core/objects'
import type { DOCUMENT_QUALITY_CODES } from '@countersign/contract/customers/documents'
import type { Scenario } from './magic-values.ts'

type QualityCode = (typeof DOCUMENT_QUALITY_CODES)[number]

/** The result of checking an uploaded file, by the end of its name before the extension. All others pass. */
export const DOCUMENT_SCENARIOS: Readonly<Record<string, Scenario<QualityCode>>> = {
  '-201': { outcome: 'LOW_QUALITY', meaning: 'Blurred or too dark' },
  '-202': { outcome: 'DATA_MISMATCH', meaning: 'Names someone else' },
  '-203': { outcome: 'EXPIRED', meaning: 'No longer valid' },
  '-204': { outcome: 'SUSPECTED_FRAUD', meaning: 'Looks altered' },
  '-205': { outcome: 'UNSUITABLE_DOCUMENT', meaning: 'Another type than declared' },
  '-206': { outcome: 'INCOMPLETE', meaning: 'A page or a side is missing' },
}

const SUFFIX_CHARACTERS = 4

/** The code with which a file of this name is rejected. Undefined if it passes. */
export function findDocumentRefusal(fileName: string): QualityCode | undefined {
  const suffix = fileName.replace(/\.[^.]*$/, '').slice(-SUFFIX_CHARACTERS)
  return getOwnValue(DOCUMENT_SCENARIOS, suffix)?.outcome
}
