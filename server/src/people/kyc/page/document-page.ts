import { DOCUMENT_TYPES } from '@countersign/contract/customers/documents'
import { type Html, html } from '../../../base/formats/html.ts'
import type { DocumentRow } from '../../../storage/rows/document.ts'
import { withLabels } from './answers.ts'
import { COUNTRIES, countryName } from './countries.ts'
import type { Tried } from './details-page.ts'
import type { Field } from './fields.ts'
import { faultOf, fieldsHtml, idOf, renderHiddenFields, summary } from './form.ts'
import { notes, stepPage, type Visit } from './layout.ts'
import { holderName, listNeededDocuments, type NeededDocument, type Progress } from './progress.ts'
import { dateText, documentName, joinWords, lowerFirst } from './words.ts'

/** The query parameters of this step. */
export interface DocumentQuery {
  /** The index of the required document to show. */
  readonly item: number
  /** The holder of an additional document, if one is to be added. */
  readonly more?: string | undefined
  /** True to take a picture with the camera. */
  readonly camera?: boolean | undefined
}

const FILE: Field = { name: 'file', label: 'File', kind: 'line' }

/** The form fields submitted along with the file. */
export const DOCUMENT_FIELDS = ['documentType', 'side', 'country', 'issuedOn'] as const

/** The questions about a document of one of these types. */
function documentFields(accepted: readonly string[], monthsMax: number | null): readonly Field[] {
  const types = new Map(accepted.map((type) => [type, documentName(type)]))
  const isCard = accepted.includes('NATIONAL_ID') || accepted.includes('DRIVERS_LICENSE')
  const side: Field = {
    name: 'side',
    label: 'Side of the document in the picture',
    hint: 'For a card with two sides, send one side after the other',
    kind: 'choice',
    choices: new Map([
      ['FRONT', 'The front'],
      ['BACK', 'The back'],
    ]),
    isOptional: true,
  }
  const issuedOn: Field = {
    name: 'issuedOn',
    label: 'Date of the document',
    hint: `It may be at most ${monthsMax} months old`,
    kind: 'date',
    isOptional: true,
  }
  return [
    { name: 'documentType', label: 'Kind of document', kind: 'choice', choices: types },
    ...(isCard ? [side] : []),
    { name: 'country', label: 'Country that issued it', kind: 'country' },
    ...(monthsMax === null ? [] : [issuedOn]),
  ]
}

/** Shows one required document at a time, and the documents that exist already. */
export function documentPage(
  visit: Visit,
  progress: Progress,
  { item, more, camera }: DocumentQuery,
  tried?: Tried,
): string {
  const list = listNeededDocuments(progress)
  const shown: NeededDocument | undefined =
    more !== undefined ? additionalDocument(progress, more) : (list[item] ?? list[0])
  const fields = shown ? [...documentFields(shown.accepted, shown.monthsMax), FILE] : []
  const faults = withLabels(tried?.faults ?? [], fields)
  const others = list.filter((one) => one !== shown)
  const query =
    more !== undefined ? `more=${encodeURIComponent(more)}` : `item=${shown ? list.indexOf(shown) : 0}`
  return stepPage(visit, progress, 'documents', {
    summary: summary(faults, fields),
    content: html`${shown && uploadForm(visit, progress, shown, { query, camera, tried: tried && { ...tried, faults } })}
${others.length > 0 && html`<h2>Still needed</h2><ul>${others.map((one) => html`<li>${one.title} (${one.holderName})</li>`)}</ul>`}
${documentList(visit, progress)}
${!shown && html`<div class="actions"><a class="button" href="${visit.base}/review">Continue</a></div>`}`,
  })
}

/** A document that is not required, such as the other side of a card or another page. */
function additionalDocument(progress: Progress, holderId: string): NeededDocument {
  const { owners, customer } = progress.one
  const known = [customer.id, ...owners.map(({ id }) => id)]
  const id = known.includes(holderId) ? holderId : customer.id
  return {
    title: 'Another document',
    reason: undefined,
    holderId: id,
    holderName: holderName(progress, id),
    accepted: DOCUMENT_TYPES,
    monthsMax: null,
    replaces: undefined,
  }
}

const PICTURES: ReadonlySet<string> = new Set(['PASSPORT', 'DRIVERS_LICENSE', 'NATIONAL_ID', 'SELFIE'])

function uploadForm(
  visit: Visit,
  progress: Progress,
  document: NeededDocument,
  options: {
    readonly query: string
    readonly camera: boolean | undefined
    readonly tried: Tried | undefined
  },
): Html {
  const { title, reason, holderId, accepted, monthsMax, replaces } = document
  const { query, tried } = options
  const usesCamera = options.camera ?? accepted.every((type) => PICTURES.has(type))
  const fields = documentFields(accepted, monthsMax)
  const [only] = accepted
  const first = new Map([
    ['documentType', accepted.length === 1 && only !== undefined ? [only] : []],
    ['country', [guessCountry(progress, holderId)]],
  ])
  const filled = {
    typed: tried?.typed ?? first,
    shown: new Map<string, string>(),
    faults: tried?.faults ?? [],
  }
  const other = usesCamera ? 'Choose a file instead' : 'Take a picture instead'
  const address = `${visit.base}/documents?${query}`
  const replacing = replaces === undefined ? '' : `&replaces=${encodeURIComponent(replaces)}`
  return html`<section class="card"><h2 class="first">${title}</h2>
<p class="soft">Of ${document.holderName}</p>
${reason !== undefined && notes([reason])}
<p>${describeNeeded(document)}</p>
<form method="post" action="${address}${replacing}&amp;camera=${usesCamera ? '1' : '0'}&amp;key=${visit.newKey()}" enctype="multipart/form-data" novalidate>
${renderHiddenFields(visit.formToken)}
<input type="hidden" name="documentHolder" value="${holderId}">
${fieldsHtml(fields, filled)}
${fileField(filled, usesCamera)}
<div class="actions"><button>Send this document</button>
<a class="link" href="${address}&amp;camera=${usesCamera ? '0' : '1'}">${other}</a></div>
</form></section>`
}

function describeNeeded({ accepted, monthsMax }: NeededDocument): string {
  if (accepted.length === DOCUMENT_TYPES.length) return 'Any document that helps us.'
  const names = accepted.map((type) => lowerFirst(documentName(type)))
  const [first, ...others] = accepted
  const one =
    first !== undefined && others.length === 0
      ? documentName(first)
      : `One of these: ${joinWords(names, 'or')}`
  return `${one}${monthsMax === null ? '' : `, at most ${monthsMax} months old`}.`
}

function fileField({ faults }: Tried | { readonly faults: Tried['faults'] }, usesCamera: boolean): Html {
  const fault = faultOf(FILE, { faults })
  const id = idOf(FILE.name)
  return html`<div class="field${fault && ' wrong'}"><label for="${id}">${usesCamera ? 'Picture' : 'File'}</label>
<p class="hint" id="${id}-hint">${usesCamera ? 'All of the document, sharp and without glare.' : 'A PDF, JPEG or PNG.'} At most 10 MB.</p>
${fault && html`<p class="error" id="${id}-error"><span class="hidden">Error: </span>${fault}</p>`}
<input type="file" id="${id}" name="${FILE.name}" accept="${usesCamera ? 'image/jpeg,image/png' : 'image/jpeg,image/png,application/pdf'}"${
    usesCamera && html` capture="environment"`
  } aria-describedby="${id}-hint${fault && ` ${id}-error`}"${fault && html` aria-invalid="true"`}></div>`
}

/** The country that most likely issued this holder's documents. */
function guessCountry({ one }: Progress, holderId: string): string {
  const owner = one.owners.find(({ id }) => id === holderId)
  if (owner) return owner.personal_info.nationality
  const { details } = one.customer
  const country = details.nationality ?? details.businessInfo?.country ?? details.address?.country ?? ''
  return COUNTRIES.has(country) ? country : ''
}

function documentList(visit: Visit, progress: Progress): Html | false {
  const { documents, customer, owners } = progress.one
  if (documents.length === 0) return false
  const holders = [customer.id, ...owners.map(({ id }) => id)].filter((id) =>
    documents.some(({ holder_id }) => holder_id === id),
  )
  return html`<h2>Sent so far</h2>
${holders.map(
  (holder) => html`<div class="card"><h3>${holderName(progress, holder)}</h3>
<ul class="plain">${documents.filter(({ holder_id }) => holder_id === holder).map((one) => documentRow(visit, one))}</ul>
<a class="link" href="${visit.base}/documents?more=${encodeURIComponent(holder)}">Add another side or page</a></div>`,
)}`
}

function documentRow(visit: Visit, document: DocumentRow): Html {
  const remove = html`<form method="post" action="${visit.base}/remove-document">${renderHiddenFields(visit.formToken)}
<input type="hidden" name="documentId" value="${document.id}">
<button class="link">Remove<span class="hidden"> ${documentName(document.document_type)}</span></button></form>`
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
  const what = [
    documentName(document_type),
    side && SIDES[side],
    countryName(country),
    issued_on && dateText(issued_on),
  ]
  return `${what.filter(Boolean).join(', ')} · ${file_name}`
}
