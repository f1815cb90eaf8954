import { DOCUMENT_TYPES } from '@countersign/contract/customers/documents'
import { type Html, html } from '../../../base/formats/html.ts'
import type { DocumentRow } from '../../../storage/rows/document.ts'
import { replaceNamesWithLabels } from './answers.ts'
import { COUNTRIES, getCountryName } from './countries.ts'
import type { RejectedInput } from './details-page.ts'
import type { Field } from './fields.ts'
import { findFault, renderFields, renderHiddenFields, renderSummary, toInputId } from './form.ts'
import { renderReviewerNotes, renderStepPage, type Visit } from './layout.ts'
import { formatHolderName, listNeededDocuments, type NeededDocument, type Progress } from './progress.ts'
import { formatDate, formatDocumentName, joinWords, lowerFirstLetter } from './words.ts'

/** The query parameters of this step. */
export interface DocumentQuery {
  /** The index of the required document to show. */
  readonly item: number
  /** The id of the holder for whom to add another document. */
  readonly more?: string | undefined
  /** True to take a picture instead of choosing a file. */
  readonly camera?: boolean | undefined
}

const FILE: Field = { name: 'file', label: 'File', kind: 'line' }

/** The form fields submitted along with the file. */
export const DOCUMENT_FIELDS = ['documentType', 'side', 'country', 'issuedOn'] as const

/** Lists the questions about a document of one of these types. */
function listDocumentFields(accepted: readonly string[], monthsMax: number | null): readonly Field[] {
  const types = new Map(accepted.map((type) => [type, formatDocumentName(type)]))
  const isCard = accepted.includes('NATIONAL_ID') || accepted.includes('DRIVERS_LICENSE')
  const side: Field = {
    name: 'side',
    label: 'Side shown in the picture',
    hint: 'If a card has two sides, upload one after the other',
    kind: 'choice',
    choices: new Map([
      ['FRONT', 'The front'],
      ['BACK', 'The back'],
    ]),
    isOptional: true,
  }
  const issuedOn: Field = {
    name: 'issuedOn',
    label: 'Date of issue',
    hint: `At most ${monthsMax} months old`,
    kind: 'date',
    isOptional: true,
  }
  return [
    { name: 'documentType', label: 'Document type', kind: 'choice', choices: types },
    ...(isCard ? [side] : []),
    { name: 'country', label: 'Issuing country', kind: 'country' },
    ...(monthsMax === null ? [] : [issuedOn]),
  ]
}

/** Renders one required document at a time, and the documents that were already sent. */
export function renderDocumentPage(
  visit: Visit,
  progress: Progress,
  { item, more, camera }: DocumentQuery,
  tried?: RejectedInput,
): string {
  const list = listNeededDocuments(progress)
  const shown: NeededDocument | undefined =
    more !== undefined ? buildAdditionalDocument(progress, more) : (list[item] ?? list[0])
  const fields = shown ? [...listDocumentFields(shown.accepted, shown.monthsMax), FILE] : []
  const faults = replaceNamesWithLabels(tried?.faults ?? [], fields)
  const others = list.filter((document) => document !== shown)
  const query =
    more !== undefined ? `more=${encodeURIComponent(more)}` : `item=${shown ? list.indexOf(shown) : 0}`
  return renderStepPage(visit, progress, 'documents', {
    summary: renderSummary(faults, fields),
    content: html`${shown && renderUploadForm(visit, progress, shown, { query, camera, tried: tried && { ...tried, faults } })}
${others.length > 0 && html`<h2>Still needed</h2><ul>${others.map(({ title, holderName }) => html`<li>${title} (${holderName})</li>`)}</ul>`}
${renderDocumentList(visit, progress)}
${!shown && html`<div class="actions"><a class="button" href="${visit.base}/review">Continue</a></div>`}`,
  })
}

/** Builds an optional document, such as the other side of a card or another page. */
function buildAdditionalDocument(progress: Progress, holderId: string): NeededDocument {
  const { owners, customer } = progress.customerCase
  const known = [customer.id, ...owners.map(({ id }) => id)]
  const id = known.includes(holderId) ? holderId : customer.id
  return {
    title: 'Another document',
    reason: undefined,
    holderId: id,
    holderName: formatHolderName(progress, id),
    accepted: DOCUMENT_TYPES,
    monthsMax: null,
    replaces: undefined,
  }
}

const PHOTO_TYPES: ReadonlySet<string> = new Set(['PASSPORT', 'DRIVERS_LICENSE', 'NATIONAL_ID', 'SELFIE'])

function renderUploadForm(
  visit: Visit,
  progress: Progress,
  document: NeededDocument,
  options: {
    readonly query: string
    readonly camera: boolean | undefined
    readonly tried: RejectedInput | undefined
  },
): Html {
  const { title, reason, holderId, accepted, monthsMax, replaces } = document
  const { query, tried } = options
  const usesCamera = options.camera ?? accepted.every((type) => PHOTO_TYPES.has(type))
  const fields = listDocumentFields(accepted, monthsMax)
  const [only] = accepted
  const defaults = new Map([
    ['documentType', accepted.length === 1 && only !== undefined ? [only] : []],
    ['country', [guessCountry(progress, holderId)]],
  ])
  const filled = {
    typed: tried?.typed ?? defaults,
    shown: new Map<string, string>(),
    faults: tried?.faults ?? [],
  }
  const alternative = usesCamera ? 'Choose a file instead' : 'Take a picture instead'
  const url = `${visit.base}/documents?${query}`
  const replacing = replaces === undefined ? '' : `&replaces=${encodeURIComponent(replaces)}`
  return html`<section class="card"><h2 class="first">${title}</h2>
<p class="soft">For ${document.holderName}</p>
${reason !== undefined && renderReviewerNotes([reason])}
<p>${describeNeeded(document)}</p>
<form method="post" action="${url}${replacing}&amp;camera=${usesCamera ? '1' : '0'}&amp;key=${visit.newKey()}" enctype="multipart/form-data" novalidate>
${renderHiddenFields(visit.formToken)}
<input type="hidden" name="documentHolder" value="${holderId}">
${renderFields(fields, filled)}
${renderFileField(filled, usesCamera)}
<div class="actions"><button>Upload this document</button>
<a class="link" href="${url}&amp;camera=${usesCamera ? '0' : '1'}">${alternative}</a></div>
</form></section>`
}

function describeNeeded({ accepted, monthsMax }: NeededDocument): string {
  if (accepted.length === DOCUMENT_TYPES.length) return 'Any document that helps us.'
  const names = accepted.map((type) => lowerFirstLetter(formatDocumentName(type)))
  const [first, ...others] = accepted
  const prefix =
    first !== undefined && others.length === 0
      ? formatDocumentName(first)
      : `One of these: ${joinWords(names, 'or')}`
  return `${prefix}${monthsMax === null ? '' : `, at most ${monthsMax} months old`}.`
}

function renderFileField(
  { faults }: RejectedInput | { readonly faults: RejectedInput['faults'] },
  usesCamera: boolean,
): Html {
  const fault = findFault(FILE, { faults })
  const id = toInputId(FILE.name)
  return html`<div class="field${fault && ' wrong'}"><label for="${id}">${usesCamera ? 'Picture' : 'File'}</label>
<p class="hint" id="${id}-hint">${usesCamera ? 'The whole document, in focus and without glare.' : 'A PDF, JPEG or PNG.'} At most 10 MB.</p>
${fault && html`<p class="error" id="${id}-error"><span class="hidden">Error: </span>${fault}</p>`}
<input type="file" id="${id}" name="${FILE.name}" accept="${usesCamera ? 'image/jpeg,image/png' : 'image/jpeg,image/png,application/pdf'}"${
    usesCamera && html` capture="environment"`
  } aria-describedby="${id}-hint${fault && ` ${id}-error`}"${fault && html` aria-invalid="true"`}></div>`
}

/** Guesses the country that issued this holder's documents. */
function guessCountry({ customerCase }: Progress, holderId: string): string {
  const owner = customerCase.owners.find(({ id }) => id === holderId)
  if (owner) return owner.personal_info.nationality
  const { details } = customerCase.customer
  const country = details.nationality ?? details.businessInfo?.country ?? details.address?.country ?? ''
  return COUNTRIES.has(country) ? country : ''
}

function renderDocumentList(visit: Visit, progress: Progress): Html | false {
  const { documents, customer, owners } = progress.customerCase
  if (documents.length === 0) return false
  const holders = [customer.id, ...owners.map(({ id }) => id)].filter((id) =>
    documents.some(({ holder_id }) => holder_id === id),
  )
  return html`<h2>Sent so far</h2>
${holders.map(
  (holder) => html`<div class="card"><h3>${formatHolderName(progress, holder)}</h3>
<ul class="plain">${documents.filter(({ holder_id }) => holder_id === holder).map((one) => renderDocumentRow(visit, one))}</ul>
<a class="link" href="${visit.base}/documents?more=${encodeURIComponent(holder)}">Add another side or page</a></div>`,
)}`
}

function renderDocumentRow(visit: Visit, document: DocumentRow): Html {
  const remove = html`<form method="post" action="${visit.base}/remove-document">${renderHiddenFields(visit.formToken)}
<input type="hidden" name="documentId" value="${document.id}">
<button class="link">Remove<span class="hidden"> ${formatDocumentName(document.document_type)}</span></button></form>`
  return html`<li class="row"><p>${describeDocument(document)}</p>${document.submitted_at === null && remove}</li>`
}

const SIDES: Readonly<Record<string, string>> = { FRONT: 'front', BACK: 'back' }

export function describeDocument({
  document_type,
  side,
  country,
  issued_on,
  file_name,
}: DocumentRow): string {
  const parts = [
    formatDocumentName(document_type),
    side && SIDES[side],
    getCountryName(country),
    issued_on && formatDate(issued_on),
  ]
  return `${parts.filter(Boolean).join(', ')} · ${file_name}`
}
