import {
  DOCUMENT_REQUIREMENTS,
  getPersonDocuments,
  PERSON_DOCUMENTS_BY_COUNTRY,
} from '@countersign/contract/customers/verification-requirements'
import { formatMarkdownTable } from './markdown-table.ts'

/** The documents that a verification requires, and what satisfies each requirement. */
export function formatRequiredDocumentTable(): string {
  return formatMarkdownTable(
    ['entry of `errors`', 'a document that proves', 'accepted types'],
    Object.entries(DOCUMENT_REQUIREMENTS).map(([name, { proves, accepted, monthsMax }]) => [
      `\`${name}\``,
      monthsMax === null ? proves : `${proves}, at most ${monthsMax} months old`,
      accepted.map((type) => `\`${type}\``).join(', '),
    ]),
  )
}

/** The accepted documents of a person, by country. */
export function formatPersonDocumentTable(): string {
  const formatYesNo = (needed: boolean) => (needed ? 'yes' : 'no')
  return formatMarkdownTable(
    ['country', 'identity document', 'proof of address'],
    [...PERSON_DOCUMENTS_BY_COUNTRY, ['any other', getPersonDocuments(undefined)] as const].map(
      ([country, { identity, address }]) => [country, formatYesNo(identity), formatYesNo(address)],
    ),
  )
}
